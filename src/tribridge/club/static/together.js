// Playing together: unread messages, who is there, the turn clock, following a rematch.
(function () {
  "use strict";
  var $ = function (id) { return document.getElementById(id); };
  var drawer = $("chat"), log = $("chat-log"), live = $("chat-live"), unread = 0, fading = null, seen = false;
  if (!drawer) return;

  function opened() { return drawer.matches(":popover-open"); }
  function bottom() { if (log) log.scrollTop = log.scrollHeight; }
  function badge() { $("unread").hidden = !unread; $("unread").textContent = unread > 9 ? "9+" : String(unread); }
  drawer.addEventListener("toggle", function () {
    $("show-chat").setAttribute("aria-expanded", String(opened()));
    if (!opened()) return;
    unread = 0; badge();
    document.dispatchEvent(new Event("chat:opened"));
    if ($("people") && !seen) $("people").open = matchMedia("(min-height: 46rem) and (min-width: 48rem)").matches;
    seen = true; bottom();
    if ($("chat-text") && matchMedia("(pointer: fine)").matches) $("chat-text").focus();
  });
  document.addEventListener("htmx:sseMessage", function (event) {
    if (event.target === log) bottom();
    if (event.target.id === "presence") people();
    if (event.target !== live) return;
    var fresh = live.querySelectorAll("li:not(.own)").length;
    live.querySelectorAll("li[data-seat]").forEach(function (one) {
      said[one.dataset.seat] = { text: one.querySelector("span").textContent, until: Date.now() + 6000 };
    });
    react();
    if (!opened()) { unread += fresh; badge(); }
    clearTimeout(fading);
    fading = setTimeout(function () { live.replaceChildren(); }, 7000);
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.successful && event.target.id === "chat-form" && $("chat-text")) $("chat-text").value = "";
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && opened() && !document.querySelector("dialog[open]")) { drawer.hidePopover(); $("show-chat").focus(); }
    if (event.key !== "m" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || document.activeElement.matches("input, select, textarea")) return;
    event.preventDefault(); drawer.togglePopover();
  });

  // What somebody says stands at their plate for a while; a board that is drawn meanwhile has it, too.
  var said = {};
  function react() {
    document.querySelectorAll(".reaction").forEach(function (one) { one.remove(); });
    Object.keys(said).forEach(function (seat) {
      var plate = document.querySelector("#board .side[data-seat='" + seat + "'] .plate"), left = said[seat].until - Date.now();
      if (!plate || left <= 0) return;
      var words = document.createElement("span");
      words.className = "reaction"; words.ariaHidden = "true"; words.textContent = said[seat].text;
      plate.append(words); fit(words, plate);
      setTimeout(function () { words.remove(); }, left);
      live.querySelectorAll("li[data-seat='" + seat + "']").forEach(function (one) { one.classList.add("at-plate"); });
    });
  }

  // Words stand whole where they hide no face, name, card or call: below the plate, above it, or beside it; if there is
  // no such place, below it.
  var NEEDED = ".avatar, .name, .tag, .why, .prompt, .calls-so-far, #box, .slot .card, .hand .card, .suit-lines, .suit-row, .result, .reaction";
  function fit(words, plate) {
    var side = plate.closest(".side").getBoundingClientRect(), felt = plate.closest(".felt").getBoundingClientRect();
    var at = plate.getBoundingClientRect(), name = plate.querySelector(".nameplate").getBoundingClientRect();
    var needed = Array.from(plate.closest(".felt").querySelectorAll(NEEDED)).filter(function (one) { return one !== words; })
      .map(function (one) { return one.getBoundingClientRect(); });
    var middle = (name.left + name.right) / 2, level = (at.top + at.bottom) / 2;
    function below(w) { return [middle - w / 2, at.bottom + 1]; }
    function above(w, h) { return [middle - w / 2, at.top - h - 1]; }
    [
      { room: side.width, at: below }, { room: side.width, at: above }, { room: 120, at: below }, { room: 120, at: above },
      { room: felt.right - at.right - 8, at: function (w, h) { return [at.right + 4, level - h / 2]; } },
      { room: at.left - felt.left - 8, at: function (w, h) { return [at.left - w - 4, level - h / 2]; } },
      { room: felt.right - name.right - 8, at: function (w, h) { return [name.right + 4, level - h / 2]; } },
      { room: name.left - felt.left - 8, at: function (w, h) { return [name.left - w - 4, level - h / 2]; } },
      { room: side.width, at: below }
    ].some(function (place) {
      words.style.maxWidth = place.room + "px";
      var width = words.offsetWidth, tall = words.offsetHeight, spot = place.at(width, tall);
      var left = Math.max(felt.left + 4, Math.min(spot[0], felt.right - width - 4)), top = spot[1];
      words.style.left = left - at.left - plate.clientLeft + "px";
      words.style.top = top - at.top - plate.clientTop + "px";
      return place.room > 60 && words.scrollHeight <= words.clientHeight + 1 && top >= felt.top && top + tall <= felt.bottom && !needed.some(function (one) {
        return one.width && one.left < left + width - 1 && one.right > left + 1 && one.top < top + tall - 1 && one.bottom > top + 1;
      });
    });
  }
  var sizes = new ResizeObserver(react); // of the window, or beside a hint
  sizes.observe($("board")); if ($("advice")) sizes.observe($("advice"));

  // A bot says something as a match begins, and when a deal has ended; whoever comes later does not hear it.
  function remark() {
    var now = document.querySelector("#board .board").dataset;
    if (now.remark) { said[now.speaker] = { text: now.remark, until: Date.now() + 4000 }; react(); }
  }
  document.addEventListener("table:finale", remark);
  if (!document.querySelector("#board .ended")) remark();

  // Who is there
  var missing = null, left = {};
  function people() {
    var list = document.querySelector(".people"), watching = Number(list.dataset.onlookers), gone = {}, words = [];
    list.querySelectorAll("[data-seat]:not(.bot)").forEach(function (one) {
      var seat = one.dataset.seat, away = gone[seat] = one.matches(".gone");
      if (!missing || !(seat in missing) || missing[seat] === away) return;
      if (!away && !left[seat]) return; // not back: the page of somebody who sat down has just come
      left[seat] = away;
      words.push(list.dataset[away ? "left" : "back"].replace("{name}", one.querySelector("b").textContent));
    });
    missing = gone;
    if (words.length) $("live").textContent = words.join(" ");
    $("watching").hidden = !watching; $("watching").querySelector("b").textContent = String(watching);
    list.querySelectorAll("[data-seat]").forEach(function (one) {
      var side = document.querySelector("#board .side[data-seat='" + one.dataset.seat + "']");
      if (side) side.classList.toggle("absent", one.matches(".gone"));
    });
  }

  // The turn clock counts from the moment the board came; a page that was just loaded knows how much is left.
  var since = null, end = 0, warned = null;
  function wait() { // for somebody who is not there; then the server offers a bot
    document.querySelectorAll(".left[data-left]").forEach(function (one) {
      var left = Number(one.dataset.left) - .25;
      one.dataset.left = left; one.textContent = String(Math.max(0, Math.ceil(left)));
      if (left <= 0) { delete one.dataset.left; htmx.trigger(one.closest(".absent"), "look"); }
    });
  }
  setInterval(wait, 250);
  function tick() {
    var clock = $("clock");
    if (!clock) return;
    if (clock.dataset.since !== since) {
      var loaded = since === null && drawer.dataset.left && drawer.dataset.since === clock.dataset.since;
      since = clock.dataset.since;
      end = Date.now() + 1000 * Number(loaded ? drawer.dataset.left : clock.dataset.seconds);
    }
    var left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    clock.textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    clock.classList.toggle("short", left <= 10);
    if (left <= 10 && left > 0 && warned !== since && document.querySelector("[data-turn='1']")) { warned = since; $("live").textContent = clock.dataset.short.replace("{seconds}", left); }
  }
  setInterval(tick, 250);

  function follow() { var form = document.querySelector("#follow[data-follow]"); if (form) form.submit(); }
  document.addEventListener("table:drawn", function () { people(); react(); tick(); follow(); });
  people(); tick(); bottom(); // whoever opens a table that is over looks at it, though there is a rematch
})();
