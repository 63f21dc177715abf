/** Captures the error log of work that is expected to log. */

import { spyOn } from 'bun:test'

/** Runs the work and returns its result. Lines that it logs as errors are added to `lines` and not printed. */
export async function captureLog<Result>(work: () => Promise<Result>, lines: string[] = []): Promise<Result> {
  const log = spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  try {
    return await work()
  } finally {
    log.mockRestore()
  }
}
