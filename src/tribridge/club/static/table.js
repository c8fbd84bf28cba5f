// Keyboard shortcuts, dragging and messages. The rules live on the server.
(function () {
  "use strict";
  var $ = function (id) { return document.getElementById(id); };

  function toast(text, good) {
    var box = $("toast"), p = document.createElement("p");
    p.textContent = text; if (good) p.className = "good";
    box.replaceChildren(p);
    setTimeout(function () { if (p.parentNode) p.remove(); }, Math.max(5000, 80 * text.length));
  }

  // Links are copied with the address at which others reach this server. An address that leads nowhere from
  // another machine is never copied.
  var shared = location.origin;
  fetch("/share").then(function (answer) { return answer.text(); })
    .then(function (text) { shared = text || shared; }, function () {});

  function put(link, text) {
    var alone = /^(localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(link.hostname);
    if (alone && !text) return toast($("toast").dataset.alone);
    if (!alone) text += (text && "\n") + link.href;
    var done = function () { toast($("toast").dataset.copied + " " + text, true); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, function () { toast(text, true); });
    else toast(text, true);
  }

  document.addEventListener("click", function (event) {
    var copy = event.target.closest("[data-copy]");
    if (copy) put(new URL(copy.dataset.copy, shared), copy.dataset.text || "");
    var call = event.target.closest("[data-meaning]"), asks = event.target.closest("[data-why]");
    var line = call && call.closest("#calls, #calls-made").querySelector(".meaning");
    if (line) { line.textContent = call.dataset.meaning; line.classList.add("pressed"); }
    if (asks) why(asks);
    var says = event.target.closest("[data-says]");
    if (says) toast(says.dataset.says, true);
    if (says && says.ariaDisabled) event.preventDefault();
    var opener = event.target.closest("[data-dialog]");
    if (opener) $(opener.dataset.dialog).showModal();
    if (event.target.closest("[data-close]")) shut();
  });

  // Where the panel is below the board, the page comes back from it: to where it was asked for, and after a move to the board.
  var came = null;
  function empty(to) {
    var shown = $("advice") && $("advice").firstElementChild;
    if (shown) $("advice").replaceChildren();
    if (shown && to !== null) scrollTo(0, to);
    came = null;
  }
  // The panel closes; the focus goes back to what was asked about, or to where the next action is.
  function shut() {
    var panel = $("advice"), inside = panel.contains(document.activeElement), asked = panel.querySelector("[data-asked]");
    var from = asked && document.querySelector("[data-why='" + asked.dataset.asked + "']");
    empty(came); glow();
    document.querySelectorAll(".asked").forEach(function (one) { one.classList.remove("asked"); });
    if (!inside) return;
    if (from && from.checkVisibility()) from.focus(); else { focused = " "; focus(); }
  }

  // The panel and an open chat have one place: whichever is opened closes the other.
  document.addEventListener("chat:opened", function () { if ($("advice").firstElementChild) shut(); });

  // Why a call was made or a card played; what is asked about is marked. Asked by keyboard, the panel has the focus.
  var byKey = false;
  document.addEventListener("click", function (event) { byKey = event.detail === 0 && !!event.target.closest("[data-why]"); }, true);
  function why(asked) {
    var where = document.querySelector("[data-reasons]");
    if (where) htmx.ajax("get", where.dataset.reasons + asked.dataset.why, { target: "#advice", swap: "innerHTML" }).catch(function () {});
  }
  document.addEventListener("htmx:afterSwap", function (event) {
    var where = event.detail.target, panel = where && where.id === "advice" && where.querySelector("[data-asked]");
    document.querySelectorAll("[data-why]").forEach(function (one) {
      one.classList.toggle("asked", !!panel && one.dataset.why === panel.dataset.asked);
    });
    if (panel && byKey) { byKey = false; panel.querySelector("button:not(:disabled), a").focus(); }
  });

  // A lost connection: the stream reconnects by itself, and outbox.js sends what got no answer again.
  function offline(on) {
    var bar = $("offline"); if (!bar) return;
    if (!bar.hidden && !on) toast(bar.dataset.back, true);
    bar.hidden = !on;
  }
  document.addEventListener("htmx:sseError", function () { offline(true); });
  document.addEventListener("htmx:sseOpen", function () { offline(false); });
  // What an answer has done to the rating for puzzles.
  var rated = document.querySelector("[data-rating]"), points = rated && Number(rated.dataset.rating);
  try {
    var gain = rated && sessionStorage.rating ? points - Number(sessionStorage.rating) : 0, change = document.createElement("b");
    if (gain) { change.className = gain > 0 ? "gain" : "loss"; change.textContent = " " + (gain > 0 ? "+" : "−") + Math.abs(gain); rated.append(change); }
    if (rated) sessionStorage.rating = points;
  } catch (_) { /* nothing is kept */ }
  document.addEventListener("htmx:sendError", silent);
  document.addEventListener("htmx:timeout", silent);
  function silent(event) {
    var config = event.detail.requestConfig;
    if (config.verb === "post" && config.target.id !== "board") toast($("toast").dataset.silent);
  }
  document.addEventListener("htmx:responseError", function (event) {
    var xhr = event.detail.xhr;
    // An action on the board that came too soon is made again; motion.js says when it cannot be.
    if (xhr.status !== 409 || event.detail.target.id !== "board") refuse(xhr.responseText.trim());
  });
  document.addEventListener("table:waits", function () { toast($("toast").dataset.waits, true); });
  document.addEventListener("table:refused", function (event) { refuse(event.detail); });
  // A name is refused below its field.
  function refuse(why) {
    var field = $("sit-name");
    if (field && why) { $("sit-problem").textContent = why; field.focus(); } else toast(why || $("toast").dataset.refused);
  }
  // A card that cannot be played now says why: whose turn it is, or which suit must be followed.
  document.addEventListener("pointerdown", function (event) {
    var card = event.target.closest("#board:not(:has(.ended)) :is(#hand, #dummy) .card"), why = document.querySelector(".why");
    if (!card || event.button !== 0 || card.matches("button:not(:disabled)")) return;
    var text = card.disabled && why && why.textContent || $("prompt").firstElementChild.textContent;
    if (text && !document.querySelector(".lesson")) toast(text, true);
  });
  document.addEventListener("htmx:beforeRequest", function (event) {
    // Once the player acts, the advice is out of date.
    var board = event.detail.target.id === "board";
    if (event.detail.requestConfig.verb !== "post") return;
    typed = "";
    if (board) $("toast").replaceChildren();
    empty(board ? 0 : null);
    if (board) back("#strip");
  });

  // The board comes into view as a match begins, after one's own action, and on one's turn if nothing of the hand is seen.
  function back(part) {
    var there = document.querySelector(part);
    if (there && there.getBoundingClientRect().bottom <= 0) scrollTo(0, 0);
  }
  document.addEventListener("table:drawn", function (event) {
    var before = event.detail.before, now = event.detail.after;
    if (now.begun && !before.begun) back("#strip");
    else if (now.turn && !before.turn) back("#hand");
  });

  // Keep sections open when the table is redrawn, and the focus where it was; if that is gone, it goes where the next
  // action is. While others act it waits at the hand.
  var open = {}, focused = "";
  document.addEventListener("table:before", remember);
  function lost() { var active = document.activeElement; return !active || active === document.body || active.disabled || active.id === "hand"; }
  function remember() {
    document.querySelectorAll("#board details[id]").forEach(function (d) { open[d.id] = d.open; });
    var active = document.activeElement;
    if (active && active.closest("#board")) focused = lost() ? " " : active.id || " "; else if (!lost()) focused = "";
  }
  document.addEventListener("htmx:beforeRequest", function (event) {
    var config = event.detail.requestConfig;
    if (config.verb === "post" && config.target && config.target.id === "board") { focused = " "; nothing = false; }
  });
  document.addEventListener("table:drawn", restore);
  document.addEventListener("table:finale", focus);
  function restore() {
    document.querySelectorAll("#board details[id]").forEach(function (d) { if (d.id in open && d.id !== "claim") d.open = open[d.id]; });
    hint();
    focus();
  }
  function focus() {
    if (!focused || !lost()) return;
    var same = $(focused), hand = $("hand");
    var next = document.querySelector(".result .primary, #hand button:not(:disabled), #dummy button:not(:disabled), #box button:not(:disabled)");
    if (nothing && entering()) next = hand;
    if (same && !same.disabled && !same.matches(".card, .bid, .mark")) next = same;
    if (hand) hand.tabIndex = -1;
    if (next || hand) (next || hand).focus({ preventScroll: true });
  }

  // The tab says whose turn it is; advice comes into view; a forced card plays itself if the player wants that.
  document.addEventListener("table:drawn", function (event) {
    var now = event.detail.after;
    if (document.title !== now.title) document.title = now.title;
    if (now.turn !== event.detail.before.turn) $("icon").href = now.turn ? $("icon").dataset.turn : $("icon").dataset.still;
    var cards = document.querySelectorAll("button.card:not(:disabled)");
    if (document.documentElement.dataset.auto && now.turn && cards.length === 1) setTimeout(function () { if (cards[0].isConnected) cards[0].click(); }, 600);
  });
  // Single deals that everybody has passed are dealt again by themselves, unless the player looks at something first.
  var soon = 0;
  function wait() {
    clearTimeout(soon);
    document.querySelectorAll("[data-soon]").forEach(function (one) { one.removeAttribute("data-soon"); });
  }
  ["pointerdown", "keydown"].forEach(function (kind) { document.addEventListener(kind, wait); });
  document.addEventListener("table:finale", function () {
    var again = document.querySelector("[data-soon]");
    if (again) soon = setTimeout(function () { if (again.isConnected) again.click(); }, 5000);
  });
  // Where the panel is below the board, what has happened is said above it; that a claim was refused, everywhere.
  var noted = notes();
  function notes() { return Array.from(document.querySelectorAll("#board .note"), function (one) { return one.textContent; }); }
  document.addEventListener("table:drawn", function () {
    var fresh = notes().filter(function (text) { return noted.indexOf(text) < 0; });
    if (fresh.length && (document.querySelector("#news .refused") || !matchMedia("(min-width: 60rem)").matches)) toast(fresh.join(" "), true);
    noted = notes();
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target && event.detail.target.id === "advice") {
      if (event.detail.target.firstElementChild && $("chat").matches(":popover-open")) $("chat").hidePopover();
      var before = scrollY;
      event.detail.target.scrollTop = 0; event.detail.target.scrollIntoView({ block: "nearest" }); glow();
      if (came === null && scrollY !== before) came = before;
    }
  });
  // What decided the deal is told at the length for which there is room.
  function fit() {
    var box = document.querySelector(".result .decided"); if (!box) return;
    var forms = Array.from(box.children);
    box.hidden = false;
    box.hidden = !forms.some(function (form) {
      forms.forEach(function (one) { one.hidden = one !== form; });
      return box.scrollHeight <= box.clientHeight + 1;
    });
  }
  document.addEventListener("htmx:afterSwap", fit);
  document.addEventListener("htmx:afterSettle", fit);
  document.addEventListener("table:drawn", fit);
  addEventListener("resize", function () { fit(); requestAnimationFrame(fit); });  // again, once all else has its size
  fit();
  // Where a hint has room on a screen held upright: below the line above, and above the auction, or at least the calls, or
  // the bidding box.
  function place(hint) {
    var root = document.documentElement.style, strip = $("strip"), box = $("box"), calls = document.querySelector(".felt .calls");
    root.setProperty("--hint", (hint ? hint.offsetHeight : 0) + "px");
    if (!strip) return;
    var from = strip.getBoundingClientRect().bottom, tops = [calls, calls && calls.tBodies[0], box].map(upper);
    var until = tops.find(function (at) { return at - from > 240; }) || upper(box);
    root.setProperty("--below", from + scrollY + "px");
    if (box) root.setProperty("--free", until + scrollY + "px"); else root.removeProperty("--free");
  }
  function upper(part) { return part ? part.getBoundingClientRect().top : 0; }
  // The end of a hint fades where it goes on below.
  function fade() {
    var panel = $("advice");
    if (panel) panel.classList.toggle("goes-on", panel.scrollHeight - panel.scrollTop - panel.clientHeight > 8);
  }
  addEventListener("scroll", fade, true);
  addEventListener("resize", function () { place(document.querySelector("#advice .hint")); fade(); });
  // What a hint suggests glows on the board while the hint is there; a bid shows with its level.
  function glow() {
    var hint = document.querySelector("#advice .hint"), meant = hint && hint.dataset.meant && $(hint.dataset.meant);
    document.querySelectorAll(".meant").forEach(function (one) { one.classList.remove("meant"); });
    place(hint); fade();
    if (!meant) return;
    var level = meant.dataset.call && $("level-" + meant.dataset.call[0]);
    if (level) level.checked = true;
    meant.classList.add("meant");
  }
  document.addEventListener("table:drawn", function (event) {
    if (!event.detail.after.turn && document.querySelector("#advice .hint")) empty(null);
    glow();
  });

  // A card can be dragged to the middle. The second click of a double click is for the card that was there before.
  var held = null;
  document.addEventListener("pointerdown", function (event) {
    var card = event.target.closest("button.card:not(:disabled)");
    held = card && event.button === 0 ? { card: card, x: event.clientX, y: event.clientY, moved: false } : null;
  });
  document.addEventListener("pointermove", function (event) {
    if (!held || !event.buttons) return;
    var x = event.clientX - held.x, y = event.clientY - held.y;
    held.moved = held.moved || Math.hypot(x, y) > 8;
    if (held.moved) { held.card.classList.add("dragged"); held.card.style.translate = x + "px " + y + "px"; }
  });
  function release(event) {
    if (!held || !held.moved) return;
    var card = held.card, middle = document.querySelector(".centre").getBoundingClientRect();
    var inside = event.type === "pointerup" && event.clientX > middle.left && event.clientX < middle.right && event.clientY > middle.top && event.clientY < middle.bottom;
    if (inside) card.click(); else { card.classList.remove("dragged"); card.style.translate = ""; }
  }
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", release);
  document.addEventListener("click", function (event) {
    var again = event.detail > 1 && event.target.closest(".card, #box .bids button, #box .mark");
    if (event.isTrusted && (again || (held && held.moved && event.target.closest(".card")))) { event.preventDefault(); event.stopPropagation(); }
  }, true);

  // Keys
  var typed = "";
  function hint() {
    var prompt = $("prompt"); if (!prompt) return;
    if (typed) prompt.dataset.typed = typed.toUpperCase() + "…"; else delete prompt.dataset.typed;
  }
  function choose(button) {
    if (!button || button.disabled) return false;
    var level = button.dataset.call && $("level-" + button.dataset.call[0]);
    if (level) level.checked = true; // the strains of one level are shown at a time
    nothing = false;
    button.focus();
    return true;
  }
  // What was typed last is nothing that can be chosen: until something is, nothing has the focus, and Enter does nothing.
  var nothing = false, SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
  document.addEventListener("pointerdown", function () { nothing = false; });
  function none() {
    var hand = $("hand");
    nothing = true;
    if (hand && document.activeElement.closest("#hand, #dummy, #box")) { hand.tabIndex = -1; hand.focus({ preventScroll: true }); }
    return true;
  }
  function fail(text) {
    typed = ""; none(); hint();
    if (text) toast(text, true);
    return true;
  }
  function entering() { return $("box") || document.querySelector("#board .board:not(.ended) #hand"); }
  function say(text, names) { return text.replace(/\{(\w+)\}/g, function (_, name) { return names[name]; }); }
  function entered(button, why) {
    typed = "";
    if (choose(button)) return true;
    var prompt = $("prompt").firstElementChild.textContent;
    return fail(document.querySelector("#board [data-turn='1']") ? why() || prompt : prompt);
  }
  function unknown() { return fail($("box") ? $("toast").dataset.bids : $("toast").dataset.cards); }
  function type(key) {
    var says = $("toast").dataset, strain = key === "n" ? "NT" : key.toUpperCase();
    if (!entering()) return false;
    if ($("box")) {
      if (/^[1-7]$/.test(key)) { typed = key; return choose(document.querySelector("[data-call^='" + key + "']:not(:disabled)")) || none(); }
      if (key === "p") return entered($("call-Pass"), String);
      if (key === "x") {
        entered(document.querySelector((typed === "x" ? "" : "#call-X:not(:disabled), ") + "#call-XX:not(:disabled)"), function () { return says.double; });
        if (!nothing) typed = key; // a second one may follow
        return true;
      }
      if (!(typed > 0) || "cdhsn".indexOf(key) < 0) return false;
      var bid = $("call-" + typed + strain), last = Array.from(document.querySelectorAll("#calls td .bid")).pop();
      return entered(bid, function () {
        return bid && last ? say(says.low, { call: bid.firstElementChild.textContent.trim(), bid: last.textContent.trim() }) : says.bids;
      });
    }
    if (/^[cdhs]1?$/.test(typed) && /^[akqjt2-910]$/.test(key) && (typed.length === 1 || key === "0")) {
      var suit = typed[0], rank = key === "1" || key === "0" ? "T" : strain, card = $("card-" + suit.toUpperCase() + rank);
      entered(card, function () {
        return card ? document.querySelector(".why").textContent : say(says.lacks, { card: SIGNS[suit] + (rank === "T" ? "10" : rank) });
      });
      if (key === "1") typed = suit + key; // a 0 may follow
      return true;
    }
    if (SIGNS[key]) { typed = key; return choose(document.querySelector("button.card[data-card^='" + strain + "']:not(:disabled)")) || none(); }
    return false;
  }
  function move(active, key) {
    var group = active.closest("#hand, #dummy, .bids, .marks, .matrix");
    if (!group || active.id === "hand") {
      var first = document.querySelector("#hand button:not(:disabled), #dummy button:not(:disabled), #call-Pass");
      return choose(first);
    }
    var all = Array.prototype.slice.call(document.querySelectorAll(group.matches("#hand, #dummy") ? "button.card:not(:disabled)" : group.matches(".matrix") ? ".matrix a" : "#box button:not(:disabled)"));
    var at = all.indexOf(active), step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step) return choose(all[(at + step + all.length) % all.length]);
    var here = active.getBoundingClientRect(), best = null, least = Infinity;
    all.forEach(function (other) {
      var there = other.getBoundingClientRect(), down = there.top - here.top;
      if (other === active || (key === "ArrowDown" ? down <= 4 : down >= -4)) return;
      var far = Math.abs(down) * 3 + Math.abs(there.left - here.left);
      if (far < least) { least = far; best = other; }
    });
    return choose(best);
  }
  // Steps requested while a response is on its way are taken after it has been drawn.
  var answers = 0, steps = [];
  function step(key) {
    var link = $(key === "ArrowLeft" ? "step-back" : "step-on");
    if (answers) steps.push(key); else if (link) link.click();
  }
  document.addEventListener("htmx:beforeRequest", function (event) {
    if (!/^(algo|review)$/.test(event.detail.target.id)) return;
    var xhr = event.detail.xhr;
    answers += 1;
    xhr.addEventListener("loadend", function () {
      answers -= 1; if (xhr.status !== 200) steps = [];
      while (!answers && steps.length) step(steps.shift());
    });
  });
  document.addEventListener("keydown", function (event) {
    var active = document.activeElement, key = event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || active.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
    if (/^Arrow/.test(key)) {
      if (/Left|Right/.test(key) && $("stepper") && !active.closest(".matrix")) {
        event.preventDefault(); step(key); return;
      }
      if (document.querySelector("#board, #algo") && (active.closest("#hand, #dummy, #box, .matrix") || active === document.body || active.id === "main") && move(active, key)) event.preventDefault();
      return;
    }
    if (key === "Tab" || key === "Escape") nothing = false;
    if (key === "Enter" && nothing && typed) { unknown(); return; }
    if (key.length !== 1) { if (key === "Escape") { typed = ""; hint(); if ($("advice")) shut(); } return; }
    var low = key.toLowerCase();
    if (key === "?" && $("keys")) { $("keys").showModal(); return; }
    if (type(low)) { event.preventDefault(); hint(); return; }
    var press = { u: "undo", w: "ask-hint", i: "ask-advice", n: $("next") ? "next" : "rematch", t: "show-score" }[low];
    if (press && $(press)) { event.preventDefault(); $(press).click(); }
    else if (low === "l" && document.querySelector("#open-last-trick:not([aria-disabled])")) $("last-trick").open = !$("last-trick").open;
    else if (entering() && !/[m ]/.test(low) && (active === document.body || active.id === "main" || active.closest(".felt"))) unknown();
  });
})();
