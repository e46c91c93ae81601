import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = dirname(import.meta.dirname);

const TURN = join(root, 'dist.turn');
const POLL_MS = 100;
/** Between making the folder and naming its holder lies a blink; a folder without a name for longer is a leftover. */
const NAMELESS_MS = 5_000;

/** Runs the work while no other process of this clone builds. The turn of a killed process is taken over. */
export async function withBuildTurn(work) {
  await takeTurn();
  try {
    return work();
  } finally {
    rmSync(TURN, { recursive: true, force: true });
  }
}

async function takeTurn() {
  let namelessSince;
  for (;;) {
    try {
      mkdirSync(TURN);
      writeFileSync(join(TURN, 'pid'), String(process.pid));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = readHolder();
    namelessSince = holder === undefined ? (namelessSince ?? Date.now()) : undefined;
    const isLeftOver = holder === undefined ? Date.now() - namelessSince > NAMELESS_MS : !isAlive(holder);
    if (isLeftOver) removeTurn();
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * By renaming, so that of several that find a left-over turn only one removes it. Should one of them be so late that
 * it removes the next holder's turn, two build at once, which build.mjs bears.
 */
function removeTurn() {
  const leftOver = `${TURN}-${process.pid}`;
  try {
    renameSync(TURN, leftOver);
    rmSync(leftOver, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function readHolder() {
  try {
    return Number(readFileSync(join(TURN, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
