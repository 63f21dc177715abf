/** Shows on standard error which file is read or written: on a terminal one line that is redrawn, otherwise a line for each file. */

const REDRAW_EVERY_MS = 200

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface Progress {
  /** Begins a file, or another step that is counted. */
  begin(name: string): void
  add(count: number): void
  /** Ends the last file. */
  done(): void
}

export function createProgress(output: Output): Progress {
  let step = { name: '', count: 0, startedAt: 0, drawnAt: 0 }
  const text = () =>
    `${step.name}: ${step.count}, ${perSecond(step.count, step.startedAt)}/s, ${elapsedSeconds(step.startedAt)} s`
  const end = () => {
    if (output.isTTY === true) output.write('\r\u001b[K')
    else if (step.count > 0) output.write(`${text()}\n`)
  }
  return {
    begin(name) {
      end()
      step = { name, count: 0, startedAt: performance.now(), drawnAt: 0 }
    },
    add(count) {
      step.count += count
      if (output.isTTY !== true || performance.now() - step.drawnAt < REDRAW_EVERY_MS) return
      step.drawnAt = performance.now()
      output.write(`\r${text()}\u001b[K`)
    },
    done() {
      end()
      step = { ...step, count: 0 }
    },
  }
}

/** Durations and rates for people. `startedAt` is an instant of `performance.now`. */

export const elapsedSeconds = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1)

export const perSecond = (count: number, startedAt: number): number =>
  Math.round(count / Math.max((performance.now() - startedAt) / 1000, 0.001))
