/** Lets a test run observe every statement that a connection sends. */

type StatementObserver = (text: string) => void

let observer: StatementObserver | undefined

/** Calls `observe` before each statement of connections that are opened later. A statement fails with what `observe` throws. */
export function observeStatements(observe: StatementObserver): void {
  observer = observe
}

/** The option of the driver that hands each statement to the observer. Without an observer, no option. */
export function observerOption(): { debug?: (connection: number, text: string) => void } {
  const observe = observer
  return observe ? { debug: (_, text) => observe(text) } : {}
}
