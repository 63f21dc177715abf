/** Runs the Bun of this process, which need not be on the PATH. */

import { resolve } from 'node:path'

/** The number of passed and failed tests. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
}

export const ROOT = resolve(import.meta.dir, '../..')

/** Runs Bun in the project's folder, prints its output while it runs, and returns the exit code. */
export async function runBun(
  words: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<number> {
  return Bun.spawn([process.execPath, ...words], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] }).exited
}
