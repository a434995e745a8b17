
"use strict";
(() => {
  const box = document.getElementById("slider");
  const steps = JSON.parse(document.getElementById("slider-steps").textContent);
  const range = document.getElementById("slider-range");
  const last = steps.thresholds.length - 1;
  const percent = (share) => {
    if (share === null || !Number.isFinite(share)) return "\u2013";
    if (share > 0 && share < 0.001) return "< 0.1 %";
    const digits = share >= 0.1 && share <= 0.9 ? 0 : 1;
    return (100 * share).toFixed(digits).replace(/\.0$/, "") + " %";
  };
  const amount = (value) =>
    Math.abs(value) >= 1000
      ? Math.round(value).toLocaleString("en-US")
      : String(Number(value.toPrecision(4)));
  const written = (threshold) => {
    const small = threshold > 0 && threshold < 0.001;
    return threshold.toFixed(small ? Math.min(12, 1 - Math.floor(Math.log10(threshold))) : 4);
  };
  const cell = (name, count, total) => {
    const place = box.querySelector(`[data-cell="${name}"]`);
    const share = total > 0 ? count / total : 0;
    place.style.setProperty("--share", share.toFixed(3));
    place.querySelector("b").textContent = amount(count);
    place.querySelector("small").textContent = percent(share);
  };
  const put = (name, text) => {
    const place = box.querySelector(`[data-out="${name}"]`);
    if (place) place.textContent = text;
  };
  const show = (i) => {
    const tp = steps.true[i], fp = steps.false[i];
    cell("tp", tp, steps.positive);
    cell("fn", steps.positive - tp, steps.positive);
    cell("fp", fp, steps.negative);
    cell("tn", steps.negative - fp, steps.negative);
    put("recall", percent(steps.positive > 0 ? tp / steps.positive : null));
    put("precision", percent(tp + fp > 0 ? tp / (tp + fp) : null));
    put("flagged", percent((tp + fp) / (steps.positive + steps.negative)));
    if (steps.cost) put("cost", amount(steps.cost[i]));
    const mark = i === steps.chosen ? " (chosen)" : "";
    const usual = i === steps.usual && i !== steps.chosen;
    const text = written(usual ? 0.5 : steps.thresholds[i]) + mark;
    document.getElementById("slider-threshold").textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  const go = (i) => {
    range.value = String(last - i);
    show(i);
  };
  range.max = String(last);
  range.addEventListener("input", () => show(last - Number(range.value)));
  box.querySelectorAll("[data-to]").forEach((button) =>
    button.addEventListener("click", () => go(steps[button.dataset.to])));
  go(steps.chosen);
  box.hidden = false;
})();
