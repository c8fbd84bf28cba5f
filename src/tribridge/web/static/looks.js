// Runs before the first paint: the looks that this browser has chosen.
(function () {
  "use strict";
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("theme");
    if (theme) root.dataset.theme = theme;
    if (localStorage.getItem("four")) root.dataset.four = "";
  } catch (error) { /* storage is off: the system's looks */ }
})();
