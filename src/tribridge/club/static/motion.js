// Draws the table. The server sends a whole board first and then, with each event, the parts of it that change; they
// replace the old ones, and every card moves from where it was to its new place. The style sheet says how.
// A lesson is drawn in the same way, without a stream: what it shows next is what was asked for last.
(function () {
  "use strict";
  var board = document.getElementById("board"), root = document.documentElement;
  if (!board) return;
  var lesson = !board.hasAttribute("sse-swap"), acted = "";
  var calm = matchMedia("(prefers-reduced-motion: reduce)");
  var MOVE = { slow: 800, normal: 350, fast: 150, off: 0 }, SEEN = { slow: 3000, normal: 1600, fast: 700, off: 0 };
  var MOVING = ".moved, .arriving, .leaving", ASKING = "[hx-get], [hx-post]";
  var SETTLE = 400; // the server takes no second action of a seat sooner, or a double click would hit the next card
  var queue = [], timer = null, free = 0, latest = shown().number, streaming = false, asked = null, sent = false;
  var answered = 0, waiting = null, repeated = "", acting = false, wanted = "";

  function speed() { return root.dataset.speed || "normal"; }
  function shown() {
    var now = board.querySelector("[data-number]"), data = now.dataset;
    return { number: Number(data.number), deal: data.deal, turn: data.turn === "1", title: data.title,
      begun: !!board.querySelector(".felt"), ended: now.matches(".ended"),
      dummy: !!board.querySelector("#dummy"), cards: board.querySelectorAll(".trick .card").length, closed: !!board.querySelector(".trick.closed") };
  }
  function replace(html) {
    var before = shown(), after, held = cardsIn("#hand"), played = cardsIn(".trick");
    unpoint();
    document.dispatchEvent(new CustomEvent("table:before"));
    if (from(html)) change(html); else htmx.swap(board, html, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
    after = shown();
    board.classList.toggle("dealing", after.deal !== before.deal || (lesson && !among(cardsIn("#hand"), held) && !among(held, cardsIn("#hand"))));
    if (board.matches(".dealing")) deal();
    if (lesson) inTurn(played);
    acted = ""; acting = false;
    board.classList.toggle("unfolding", after.dummy && !before.dummy);
    board.classList.remove("finale");
    board.classList.toggle("lingering", after.ended && !before.ended);
    if (board.matches(".lingering")) setTimeout(finale, after.closed ? SEEN[speed()] || 1200 : 0);
    document.dispatchEvent(new CustomEvent("table:drawn", { detail: { before: before, after: after } }));
  }
  function cardsIn(which) { return Array.from(board.querySelectorAll(which + " [data-card]"), function (one) { return one.dataset.card; }); }
  function among(few, many) { return few.every(function (card) { return many.indexOf(card) >= 0; }); }
  function deal() { // each card of the hand comes to another's place first; the others wait until they are sorted
    if (!still()) free = Date.now() + 5 * MOVE[speed()];
    var cards = Array.from(board.querySelectorAll("#hand li")), places = cards.slice().sort(function () { return Math.random() - .5; });
    cards.forEach(function (card, at) {
      var place = places[at];
      card.style.setProperty("--shuffled", place.offsetLeft - card.offsetLeft + "px " + (place.offsetTop - card.offsetTop) + "px");
    });
  }
  function inTurn(before) { // those who play after the learner do so one after the other
    var spots = ["bottom", "left", "top", "right"], own = board.querySelector(".trick [data-card='" + acted + "']");
    if (own) board.querySelectorAll(".slot").forEach(function (slot) {
      var card = slot.firstElementChild, late = spots.indexOf(slot.classList[1]) - spots.indexOf(own.parentNode.classList[1]);
      if (card && card !== own && before.indexOf(card.dataset.card) < 0) card.style.setProperty("--late", (late + 4) % 4 + .2);
    });
  }
  function unpoint() { document.querySelectorAll(".arrow").forEach(function (one) { one.remove(); }); }
  function point() { // at what a lesson is about
    unpoint();
    var panel = board.querySelector("[data-show]"), shown = panel ? board.querySelectorAll(panel.dataset.show) : [];
    shown.forEach(function (one) { one.classList.add("meant"); });
    if (!shown.length) return;
    if (shown[0].matches("small")) return; // the glow of many says enough
    var at = shown[shown[0].matches(".bid") ? shown.length - 1 : 0], place = at.getBoundingClientRect(), arrow = document.createElement("i");
    var side = at.matches(".bid") ? "beside" : at.closest("#side-bottom .plate") ? "after" : at.closest("#dummy") ? "below" : "";
    arrow.className = "arrow " + side;
    arrow.style.left = (side === "after" ? place.right : side === "below" ? place.left + place.width / 2 : place.left + (side ? 0 : Math.min(place.width / 2, 60))) + "px";
    arrow.style.top = (side === "below" ? place.bottom : place.top + (side ? place.height / 2 : 0)) + "px";
    document.body.append(arrow);
    if (Array.from(board.querySelectorAll(".card")).some(covered)) arrow.remove(); // where it has no room the glow says enough
    function covered(card) {
      var one = card.getBoundingClientRect(), other = arrow.getBoundingClientRect();
      return !at.contains(card) && one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
    }
  }
  function from(html) { var found = /data-from="(\d+)"/.exec(html); return found ? Number(found[1]) : 0; }
  function change(html) {
    var sent = document.createElement("template"), now = board.querySelector(".board");
    sent.innerHTML = html;
    var fresh = sent.content.querySelector(".board");
    Array.from(fresh.attributes).forEach(function (one) { now.setAttribute(one.name, one.value); });
    Array.from(fresh.children).forEach(function (part) {
      document.getElementById(part.id).replaceWith(part);
      if (part.matches(ASKING) || part.querySelector(ASKING)) htmx.process(part);
    });
  }
  function whole() { // what the stream sends next does not fit what is shown, or it is late
    clearTimeout(asked); asked = null;
    htmx.ajax("get", location.pathname + "/board", { target: board, swap: "innerHTML" }).catch(function () {});
  }
  function still() { return !MOVE[speed()] || calm.matches || document.hidden; }
  function places(all) { // of the cards in sight, by name; or of those that do not move by themselves
    var found = new Map();
    board.querySelectorAll("[data-card]").forEach(function (card) {
      if (!card.checkVisibility({ visibilityProperty: true }) || (!all && card.closest(".dealing, .unfolding #dummy"))) return;
      found.set(card.dataset.card, { card: card, at: card.getBoundingClientRect(), trick: card.closest(".trick") });
    });
    return found;
  }
  function landed(card) { if (card.matches(".leaving")) card.remove(); else card.classList.remove("moved", "arriving"); }
  function moved(change) { // cards move from where they are to where a change puts them
    var quiet = still(), before = quiet ? new Map() : places(true), felt, ground, after;
    board.querySelectorAll(MOVING).forEach(function (card) { if (!card.matches(".gone")) landed(card); });
    change();
    if (quiet) { point(); return; }
    felt = board.querySelector(".felt"); ground = felt && felt.getBoundingClientRect(); after = places(false);
    after.forEach(function (now, name) { arrive(now, before.get(name)); });
    before.forEach(function (old, name) { if (felt && old.trick && !after.has(name)) felt.append(leaving(old, ground)); });
    if (!board.querySelector(MOVING)) point();
  }
  function arrive(now, old) {
    var to = now.at, from = old && old.at, style = now.card.style;
    if (from && Math.abs(from.x - to.x) + Math.abs(from.y - to.y) + Math.abs(from.width - to.width) < 1) return;
    if (from) {
      style.setProperty("--was", from.x - to.x + (from.width - to.width) / 2 + "px " + (from.y - to.y + (from.height - to.height) / 2) + "px");
      style.setProperty("--size", from.width / to.width);
    }
    now.card.classList.add(from ? "moved" : "arriving");
  }
  function leaving(old, ground) { // a picture of a card, which goes to whoever won the trick
    var card = document.createElement("span");
    card.className = "card leaving " + (old.trick.dataset.to || "");
    card.ariaHidden = "true";
    card.append(old.card.firstElementChild.cloneNode(true));
    card.style.left = old.at.x - ground.x + "px"; card.style.top = old.at.y - ground.y + "px";
    card.style.setProperty("--w", old.at.width + "px");
    return card;
  }
  function setOut(card) { // one's own card, before the server has answered; the next board takes it on from where it is
    var spot = card.closest(".side"), slot = spot && board.querySelector("#trick .slot." + spot.id.slice(5)), from, to;
    if (!slot || still()) return;
    gather();
    if (card.matches(".dragged")) return;
    landed(card);
    from = card.getBoundingClientRect(); to = slot.getBoundingClientRect();
    card.classList.add("ahead");
    card.style.translate = to.x - from.x + (to.width - from.width) / 2 + "px " + (to.y - from.y + (to.height - from.height) / 2) + "px";
    card.style.scale = to.width / from.width;
  }
  function gather() { // the trick that is complete, before a card of the next one lands on it
    var trick = board.querySelector(".trick.closed:not(.gathered)"), felt = board.querySelector(".felt"), ground;
    if (!trick || !felt) return;
    ground = felt.getBoundingClientRect();
    trick.querySelectorAll("[data-card]").forEach(function (card) {
      var picture = leaving({ card: card, at: card.getBoundingClientRect(), trick: trick }, ground);
      picture.classList.add("gone");
      felt.append(picture);
    });
    trick.classList.add("gathered");
  }
  function goBack(card) { card.classList.remove("ahead"); card.style.translate = card.style.scale = ""; }
  addEventListener("resize", function () { // a card on its way is where it belongs in the new window, at once
    board.querySelectorAll(".ahead").forEach(function (card) {
      card.style.transition = "none"; goBack(card); setOut(card); card.offsetWidth; card.style.transition = "";
    });
  });
  function finale() { // the last trick is gathered, the result comes, and the score moves
    if (!board.matches(".lingering")) return;
    moved(function () {
      board.classList.remove("lingering"); board.classList.add("finale");
      if (!still()) board.querySelectorAll("[data-before]").forEach(count);
    });
    document.dispatchEvent(new CustomEvent("table:finale", { detail: !!board.querySelector(".result.gain") }));
  }
  function count(one) {
    var from = Number(one.dataset.before), to = Number(one.textContent.replace("−", "-")), steps = 20, step = 0;
    if (!Number.isInteger(from) || !Number.isInteger(to)) return;
    function write(number) { one.textContent = String(number).replace("-", "−"); }
    write(from);
    var timer = setInterval(function () {
      var share = ++step / steps;
      write(Math.round(from + (to - from) * share * (2 - share)));
      if (step === steps) clearInterval(timer);
    }, 3 * MOVE[speed()] / steps);
  }
  function draw(html) {
    free = Date.now() + MOVE[speed()];
    moved(function () { replace(html); });
    if (/class="trick closed"/.test(html)) free = Date.now() + SEEN[speed()];
  }
  // Boards from the stream wait for their turn, so that each can be seen; an answer to one's own action does not.
  function next() {
    timer = null;
    if (!queue.length) return;
    var wait = document.hidden || queue.length > 8 ? 0 : free - Date.now();
    if (wait > 0) timer = setTimeout(next, wait); else { draw(queue.shift()); next(); }
  }
  document.addEventListener("htmx:sseBeforeMessage", function (event) {
    if (event.target !== board) return;
    event.preventDefault();
    var number = Number(event.detail.lastEventId), since = from(event.detail.data);
    if (number <= latest) return;
    if (since && since !== latest) { whole(); return; }
    clearTimeout(asked); asked = null;
    latest = number; queue.push(event.detail.data);
    if (!timer) next();
  });
  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.target !== board || !event.detail.shouldSwap) return;
    event.detail.shouldSwap = false;
    var html = event.detail.serverResponse, match = /data-number="(\d+)"/.exec(html);
    if (lesson) { history.pushState(null, "", event.detail.pathInfo.finalRequestPath); draw(html); return; }
    if (!match || Number(match[1]) <= latest) return; // the stream has overtaken the answer
    latest = Number(match[1]); queue = []; draw(html);
  });
  document.addEventListener("htmx:beforeRequest", function (event) { if (event.detail.target === board) free = 0; });
  // A call or a card is sent by the form of the board, whose buttons are all over it. The stream brings what came of it.
  document.addEventListener("submit", function (event) {
    var form = event.target, by = event.submitter;
    if (!/^(act|tour)$/.test(form.id) || !by) return;
    event.preventDefault();
    var values = Object.fromEntries(new FormData(form, by)), wait = form.id === "act" ? answered + SETTLE - Date.now() : 0;
    acting = form.id === "act";
    if (wait > 0) { if (by.matches(".card")) setOut(by); later(by.value, wait); return; }
    acted = by.value; sent = false;
    if (form.id === "act") answered = Date.now();
    htmx.ajax(form.method, form.getAttribute("action"), { source: form, target: board, swap: "innerHTML", values: values }).catch(function () {});
    if (sent && form.id === "act" && by.matches(".card:not(.ahead)")) setOut(by);
  });
  // An action that comes too soon, or was refused because of that, is made as soon as it may be; if it no longer can be,
  // the server says why.
  function later(action, wait, why) {
    clearTimeout(waiting);
    waiting = setTimeout(function () {
      var button = board.querySelector("button[form='act'][value='" + action + "']:not(:disabled)");
      if (button) document.getElementById("act").requestSubmit(button);
      else { acting = false; if (why) refused(why); }
    }, wait);
  }
  // A hint or advice that is asked for while one's own move is on its way is about the position after it: it is asked for
  // on the next turn.
  document.addEventListener("htmx:confirm", function (event) {
    if (event.detail.verb !== "post" || event.detail.target.id !== "advice" || !(acting || queue.length)) return;
    event.preventDefault();
    wanted = event.detail.elt.id;
    document.dispatchEvent(new CustomEvent("table:waits"));
  });
  document.addEventListener("table:drawn", function (event) {
    var now = event.detail.after, button = document.getElementById(wanted);
    if (!wanted || queue.length || !(now.turn || now.ended)) return;
    wanted = "";
    if (now.turn && button) button.click();
  });
  function refused(why) { document.dispatchEvent(new CustomEvent("table:refused", { detail: why })); }
  document.addEventListener("htmx:beforeSend", function (event) { sent = sent || event.detail.target === board; });
  document.addEventListener("htmx:sseOpen", function () { streaming = true; });
  document.addEventListener("htmx:sseError", function () { streaming = false; });
  document.addEventListener("htmx:configRequest", function (event) {
    if (event.detail.verb === "post" && event.detail.target === board && streaming) event.detail.headers["Board-Stream"] = "1";
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    var status = event.detail.xhr.status;
    if (event.detail.target !== board) return;
    if (status >= 400 && status < 500 && status !== 429) {
      board.querySelectorAll(".ahead").forEach(goBack);
      board.querySelectorAll(".gathered").forEach(function (trick) { trick.classList.remove("gathered"); });
    }
    var action = event.detail.requestConfig.formData.get("action"), why = event.detail.xhr.responseText.trim();
    if (status && action) answered = Date.now();
    if (status === 409 && action && action !== repeated) { repeated = action; later(action, SETTLE, why); }
    else if (status >= 400 && status < 500 && status !== 429) { acting = false; if (status === 409) refused(why); }
    if (status !== 409) repeated = "";
    if (status !== 204 || asked) return;
    var number = Number(event.detail.requestConfig.formData.get("at"));
    if (latest <= number) asked = setTimeout(whole, 1500);
  });
  board.addEventListener("animationend", function (event) {
    if (!event.target.matches(MOVING)) return;
    landed(event.target);
    if (!board.querySelector(MOVING)) point();
  });
  ["pointerdown", "keydown"].forEach(function (kind) { document.addEventListener(kind, finale); });
  if (lesson) {
    addEventListener("popstate", function () { location.reload(); });
    addEventListener("resize", point);
    point();
  }
  if (board.matches(".dealing")) { // by the page, so that the hand is not seen before; it begins when the places are known
    deal();
    board.getAnimations({ subtree: true }).forEach(function (one) { one.currentTime = 0; });
  }
})();
