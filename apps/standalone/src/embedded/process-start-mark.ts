import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Counted after the command name, which is in brackets and may itself hold spaces: field 22 of proc(5). */
const START_TIME_AFTER_NAME = 19;

/**
 * When the process with this pid was started, as a text only good for comparing; undefined when there is no
 * such process. Pid and mark together name one process for ever, where a pid alone is handed out again.
 */
export function processStartMark(pid: number): string | undefined {
  if (process.platform === 'linux') return readLinuxMark(pid);
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}

function readLinuxMark(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended and only waits for its parent to notice.
    return fields[0] === 'Z' ? undefined : fields[START_TIME_AFTER_NAME];
  } catch {
    return undefined;
  }
}
