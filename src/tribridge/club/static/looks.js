// Runs before the first paint: the settings that this browser remembers.
(function () {
  "use strict";
  ["theme", "four", "speed", "backs", "felt", "cards", "sound", "auto", "mute", "offered"].forEach(function (key) {
    try {
      var value = localStorage.getItem(key);
      // A table offers its sound only where no other has done so: an offer that was left alone is not made again.
      if (value && value !== location.pathname) document.documentElement.dataset[key] = value;
    } catch (error) { /* storage is off: the defaults */ }
  });
})();
