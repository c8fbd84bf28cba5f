// Runs before the first paint: the settings that this browser remembers.
(function () {
  "use strict";
  ["theme", "four", "speed", "backs", "felt", "cards", "sound", "auto", "mute", "offered"].forEach(function (key) {
    try {
      var value = localStorage.getItem(key);
      if (value) document.documentElement.dataset[key] = value;
    } catch (error) { /* storage is off: the defaults */ }
  });
})();
