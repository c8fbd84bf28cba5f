// An answer to a request for progress is out of date once a step has been taken.
document.addEventListener("htmx:beforeSwap", function (event) {
  var asked = event.detail.requestConfig.elt;
  if (asked.matches(".review-progress") && !asked.isConnected) event.detail.shouldSwap = false;
});
