// An answer to a request for progress is out of date once a step has been taken.
document.addEventListener("htmx:beforeSwap", function (event) {
  var asked = event.detail.requestConfig.elt;
  if (asked.matches(".review-progress") && !asked.isConnected) event.detail.shouldSwap = false;
});

// On a phone what is not the story is folded, unless its reader has opened it.
(function () {
  var narrow = matchMedia("(max-width: 48rem)"), chosen = {};
  function fold() {
    document.querySelectorAll(".folds").forEach(function (one) { one.open = one.id in chosen ? chosen[one.id] : !narrow.matches; });
  }
  document.addEventListener("click", function (event) {
    var summary = event.target.closest(".folds > summary");
    if (summary) chosen[summary.parentNode.id] = !summary.parentNode.open;
  });
  document.addEventListener("htmx:afterSwap", fold);
  narrow.addEventListener("change", fold);
  fold();
})();

// A step is taken wherever its link is; what is said of it and the board that shows it are in sight, the board above all.
document.addEventListener("htmx:afterSwap", function (event) {
  var asked = event.detail.requestConfig.elt;
  if (event.detail.target.id !== "review" || asked.matches(".review-progress")) return;
  [".review-now > :first-child", ".review-table"].forEach(function (one) {
    var shown = document.querySelector(one);
    if (shown) shown.scrollIntoView({ block: "nearest" });
  });
});

// The arrow keys step through the deal, or through the line that is on the board.
document.addEventListener("keydown", function (event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, select, textarea")) return;
  var way = { ArrowLeft: "back", ArrowRight: "on" }[event.key];
  var link = way && (document.getElementById("line-" + way) || document.getElementById("step-" + way));
  if (link) { event.preventDefault(); link.click(); }
});

// Which numbers stand on the cards: kept for the next deal.
(function () {
  var kept;
  try { kept = localStorage.getItem("values"); } catch (e) { kept = null; }
  function show(values) {
    var review = document.querySelector(".review");
    if (!review) return;
    review.dataset.values = values;
    review.querySelectorAll("button[data-values]").forEach(function (one) {
      one.setAttribute("aria-pressed", one.dataset.values === values);
    });
  }
  document.addEventListener("click", function (event) {
    var asked = event.target.closest("button[data-values]");
    if (!asked) return;
    kept = asked.dataset.values;
    show(kept);
    try { localStorage.setItem("values", kept); } catch (e) { /* not kept */ }
  });
  document.addEventListener("htmx:afterSwap", function () { show(kept || "seen"); });
  show(kept || "seen");
})();
