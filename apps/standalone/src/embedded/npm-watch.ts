const LOOK_EVERY_MS = 500;

/**
 * Calls back once when the npm that started us is gone. An `npm run` that is killed with -9 passes nothing on, and
 * we would stay up with nobody to stop us. Started by hand (node dist/…) we outlive our shell like any program.
 */
export function onNpmGone(callback: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const npmPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npmPid) return;
    clearInterval(timer);
    callback();
  }, LOOK_EVERY_MS);
  timer.unref();
}
