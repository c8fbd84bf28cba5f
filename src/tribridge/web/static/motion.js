// Draws the table. The server sends a whole board first and then, with each event, the parts of it that change; they
// replace the old ones in a view transition, in which every card moves to its new place. The style sheet says how.
(function () {
  "use strict";
  var board = document.getElementById("board"), root = document.documentElement;
  if (!board) return;
  var calm = matchMedia("(prefers-reduced-motion: reduce)");
  var MOVE = { slow: 800, normal: 350, fast: 150, off: 0 }, SEEN = { slow: 3000, normal: 1600, fast: 700, off: 0 };
  var queue = [], timer = null, free = 0, latest = shown().number, streaming = false, asked = null;

  function speed() { return root.dataset.speed || "normal"; }
  function shown() {
    var now = board.querySelector("[data-number]"), data = now.dataset;
    return { number: Number(data.number), deal: data.deal, turn: data.turn === "1", title: data.title, ended: now.matches(".ended"),
      dummy: !!board.querySelector("#dummy"), cards: board.querySelectorAll(".trick .card").length, closed: !!board.querySelector(".trick.closed") };
  }
  function nameCards() {
    board.querySelectorAll("[data-card]").forEach(function (card) {
      var named = card.checkVisibility({ visibilityProperty: true }) && !card.closest(".dealing, .unfolding #dummy");
      card.style.viewTransitionName = named ? "card-" + card.dataset.card : "";
    });
  }
  function replace(html) {
    var before = shown(), after;
    document.dispatchEvent(new CustomEvent("table:before"));
    if (from(html)) change(html); else htmx.swap(board, html, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
    after = shown();
    board.classList.toggle("dealing", after.deal !== before.deal);
    board.classList.toggle("unfolding", after.dummy && !before.dummy);
    board.classList.toggle("lingering", after.closed && after.ended && !before.ended);
    if (board.matches(".lingering")) setTimeout(endLingering, SEEN[speed()] || 1200);
    document.dispatchEvent(new CustomEvent("table:drawn", { detail: { before: before, after: after } }));
  }
  function from(html) { var found = /data-from="(\d+)"/.exec(html); return found ? Number(found[1]) : 0; }
  function change(html) {
    var sent = document.createElement("template"), now = board.querySelector(".board");
    sent.innerHTML = html;
    var fresh = sent.content.querySelector(".board");
    Array.from(fresh.attributes).forEach(function (one) { now.setAttribute(one.name, one.value); });
    Array.from(fresh.children).forEach(function (part) {
      document.getElementById(part.id).replaceWith(part);
      htmx.process(part);
    });
  }
  function whole() { // what the stream sends next does not fit what is shown, or it is late
    clearTimeout(asked); asked = null;
    htmx.ajax("get", location.pathname + "/board", { target: board, swap: "innerHTML" }).catch(function () {});
  }
  function endLingering() { board.classList.remove("lingering"); }
  function draw(html) {
    var still = !MOVE[speed()] || calm.matches || document.hidden || !document.startViewTransition;
    free = Date.now() + MOVE[speed()];
    if (still) { replace(html); } else {
      nameCards();
      var transition = document.startViewTransition(function () { replace(html); nameCards(); });
      transition.ready.catch(function () {}); transition.finished.catch(function () {});
    }
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
    if (!match || Number(match[1]) <= latest) return; // the stream has overtaken the answer
    latest = Number(match[1]); queue = []; draw(html);
  });
  document.addEventListener("htmx:beforeRequest", function (event) { if (event.detail.target === board) free = 0; });
  // A call or a card is sent by the form of the board, whose buttons are all over it. The stream brings what came of it.
  document.addEventListener("submit", function (event) {
    var form = event.target, by = event.submitter;
    if (form.id !== "act" || !by) return;
    event.preventDefault();
    var values = { at: form.elements.at.value, action: by.value };
    htmx.ajax("post", form.getAttribute("action"), { source: form, target: board, swap: "innerHTML", values: values }).catch(function () {});
  });
  document.addEventListener("htmx:sseOpen", function () { streaming = true; });
  document.addEventListener("htmx:sseError", function () { streaming = false; });
  document.addEventListener("htmx:configRequest", function (event) {
    if (event.detail.verb === "post" && event.detail.target === board && streaming) event.detail.headers["Board-Stream"] = "1";
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.target !== board || event.detail.xhr.status !== 204 || asked) return;
    var number = Number(event.detail.requestConfig.formData.get("at"));
    if (latest <= number) asked = setTimeout(whole, 1500);
  });
  ["pointerdown", "keydown"].forEach(function (kind) { document.addEventListener(kind, endLingering); });
  if (!board.querySelector(".calls td .bid, .calls .mark, .trick, .result")) board.classList.add("dealing");
})();
