/** Runs the very Bun that runs us, which need not be on the PATH. */

import { resolve } from 'node:path'

/** How many of something passed and failed. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
}

const ROOT = resolve(import.meta.dir, '../..')

/** In the project's folder, its output shown as it comes; gives the exit code. */
export async function runBun(
  words: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<number> {
  return Bun.spawn([process.execPath, ...words], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] }).exited
}
