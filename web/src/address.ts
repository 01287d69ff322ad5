// What is looked at, in the address: the time, the camera, the curves.
export interface Bookmark {
  t?: number;
  camera?: number[];
  curves?: string[];
  across?: string;
  forces?: boolean;
  follow?: boolean;
}

export function readAddress(): Bookmark {
  const mark: Bookmark = {};
  const entries = new URLSearchParams(location.hash.slice(1));
  const t = entries.get("t");
  if (t !== null && Number.isFinite(Number(t))) mark.t = Number(t);
  const camera = entries.get("camera");
  if (camera) mark.camera = camera.split(",").map(Number);
  // Names may hold commas; between them stands what no name has.
  const curves = entries.get("curves");
  if (curves !== null) mark.curves = curves.split("|").filter(Boolean);
  mark.across = entries.get("across") ?? undefined;
  if (entries.has("forces")) mark.forces = entries.get("forces") === "1";
  if (entries.has("follow")) mark.follow = entries.get("follow") === "1";
  return mark;
}

export function writeAddress(mark: Bookmark): void {
  const entries = new URLSearchParams();
  if (mark.t !== undefined) entries.set("t", String(Number(mark.t.toPrecision(8))));
  if (mark.camera?.length) entries.set("camera", mark.camera.map((number) => Number(number.toPrecision(6))).join(","));
  if (mark.curves) entries.set("curves", mark.curves.join("|"));
  if (mark.across) entries.set("across", mark.across);
  if (mark.forces !== undefined) entries.set("forces", mark.forces ? "1" : "0");
  if (mark.follow !== undefined) entries.set("follow", mark.follow ? "1" : "0");
  history.replaceState(null, "", `#${entries.toString()}`);
}
