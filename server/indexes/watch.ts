/**
 * Watches which indexes queries would have used. Noting a wish is a line in memory; once a second at most they are
 * written down for whoever builds.
 */

import type { Database } from '../../db/connect'
import type { Call } from '../call'
import type { DataModel, Owner } from '../data-model/model'
import { type Clock, timestampFromMicros } from '../time'
import { noteWishes, type Wishes } from './store'
import { createTableSizes, type TableSizes } from './table-sizes'
import type { IndexWish } from './wish'

export interface IndexWatch {
  readonly sizes: TableSizes
  /** Notes what would have served a query of `owner`, if that is big enough to need it. */
  want(model: DataModel, owner: Owner, wishes: readonly IndexWish[]): void
  /** Writes down what was noted; resolves when it is there, with what was being written before. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Notes what would have served a call's query, where anybody takes note. */
export const wantIndexes = ({ model, indexes }: Call, owner: Owner, wishes: readonly IndexWish[]): void =>
  indexes?.want(model, owner, wishes)

export interface Watching {
  readonly db: Database
  readonly now: Clock
  /** From how many holders on an index is worth its price. */
  readonly fromRows: number
}

const FLUSH_AFTER_MS = 1000

export function createIndexWatch({ db, now, fromRows }: Watching): IndexWatch {
  const sizes = createTableSizes(db)
  let noted = new Map<string, Wishes>()
  let timer: Timer | undefined
  let writing = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const all = [...noted.values()]
    noted = new Map()
    const write = async () => {
      if (all.length > 0) await noteWishes(db, all, timestampFromMicros(now()))
    }
    writing = writing.then(write, write)
    return writing
  }

  const flushLater = () => {
    // Wishes are repeated as often as queries are, so some may be lost.
    timer ??= setTimeout(() => void flush().catch(logLoss), FLUSH_AFTER_MS)
    timer.unref()
  }

  return {
    sizes,
    want({ indexes, workspace }, owner, wishes) {
      const missing = wishes.filter(({ name }) => !indexes.has(name))
      if (missing.length === 0) return
      const rows = sizes.known(owner.table) ?? unknownSize(sizes, owner)
      const worthwhile = missing.filter((wish) => rows >= (wish.fromRows ?? fromRows))
      if (worthwhile.length === 0) return
      for (const wish of worthwhile) {
        const key = `${workspace.id} ${wish.name}`
        const count = (noted.get(key)?.count ?? 0) + 1
        noted.set(key, { workspaceId: workspace.id, ownerId: owner.id, wish, count })
      }
      flushLater()
    },
    flush,
    close: () => flush().catch(logLoss),
  }
}

/** Too small for this time; known the next. */
function unknownSize(sizes: TableSizes, { table }: Owner): number {
  void Promise.resolve(sizes.get(table)).catch(() => {})
  return 0
}

const logLoss = (error: unknown) => console.error('Wishes for indexes could not be written down.', error)
