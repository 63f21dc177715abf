/** The workspaces whose outboxes may have events that are not published, by what this process wrote or was notified of. */

export interface UnpublishedWorkspaces {
  /** Call it when a write has ended, or when another process may have left events. */
  add(workspaceId: string): void
  has(workspaceId: string): boolean
  isEmpty(): boolean
  /** How many they are, and for how many milliseconds the first of them waits. */
  length(): { readonly waiting: number; readonly oldestMs: number }
  ids(): Iterable<string>
  /** Those to publish next, the longest waiting first. */
  next(): Selection
  /** The events of a selection are published, except that the workspaces `unfinished` may have more. */
  published(selection: Selection, unfinished: readonly string[]): void
  /** None of the events of a selection are published. */
  failed(selection: Selection): void
  /** The workspaces that are not selected, because publishing each of them alone failed a moment ago. */
  failing(): string[]
}

/** The ids of workspaces. The numbers show whether a workspace was added again. */
export type Selection = ReadonlyMap<string, number>

/** Each workspace of a batch costs some statements. */
const MAX_SELECTED = 20
/** When a failed workspace is selected again. */
const RETRY_AFTER_MS = 1_000

/** After a failure, workspaces are selected singly, so that one that cannot be published does not hold up the others. */
export function createUnpublishedWorkspaces(clock: () => number = () => performance.now()): UnpublishedWorkspaces {
  // A map keeps its entries in the order in which they were set.
  const waiting = new Map<string, number>()
  const retryAt = new Map<string, number>()
  /** When a workspace was added that had no events before. */
  const since = new Map<string, number>()
  let last = 0
  let size = MAX_SELECTED

  function add(workspaceId: string): void {
    if (!waiting.delete(workspaceId)) since.set(workspaceId, clock())
    waiting.set(workspaceId, ++last)
  }

  return {
    add,
    has: (workspaceId) => waiting.has(workspaceId),
    isEmpty: () => waiting.size === 0,
    length: () => ({
      waiting: waiting.size,
      oldestMs: waiting.size === 0 ? 0 : clock() - Math.min(...since.values()),
    }),
    ids: () => waiting.keys(),
    next() {
      const selection = new Map<string, number>()
      for (const [id, added] of waiting) {
        if (selection.size === size) break
        if ((retryAt.get(id) ?? 0) <= clock()) selection.set(id, added)
      }
      return selection
    },
    published(selection, unfinished) {
      for (const [id, added] of selection) {
        retryAt.delete(id)
        if (waiting.get(id) !== added) since.set(id, clock())
        else {
          waiting.delete(id)
          since.delete(id)
        }
      }
      for (const id of unfinished) add(id)
      size = Math.min(size * 2, MAX_SELECTED)
    },
    failed(selection) {
      for (const id of selection.keys()) {
        if (size === 1) retryAt.set(id, clock() + RETRY_AFTER_MS)
        add(id)
      }
      size = 1
    },
    failing: () => [...retryAt].filter(([, at]) => at > clock()).map(([id]) => id),
  }
}
