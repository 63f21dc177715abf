/** Deletes rows some seconds after they disappeared from their table, so that a person can undo it. */

import { writeBatch } from '../../../../api/records/bulk'
import { inBatches } from '../../../../state/bulk-runs.svelte'
import { toasts } from '../../../../state/toasts.svelte'
import { deleteMany } from '../delete-many'
import type { Nouns } from '../nouns'
import type { Table } from '../table.svelte'

/** As long as the message with the button is shown. */
const UNDO_MS = 10_000

export function deleteLater(table: Table, nouns: Nouns, ids: readonly string[]): void {
  const { entityType } = table
  let isDecided = false
  const decide = (): boolean => {
    const isFirst = !isDecided
    isDecided = true
    clearTimeout(timer)
    window.removeEventListener('pagehide', leave)
    return isFirst
  }

  async function remove() {
    if (!decide()) return
    const { error } = await deleteMany(entityType, ids)
    if (error === undefined) return
    toasts.fail(error)
    await table.reload().catch((failure: unknown) => toasts.fail(failure))
  }

  /** The page is closed before the time is over. */
  function leave() {
    if (!decide()) return
    for (const batch of inBatches(ids)) void writeBatch(entityType, batch, { op: 'delete' }, { keepalive: true })
  }

  async function undo() {
    if (decide()) await table.reload().catch((error: unknown) => toasts.fail(error))
  }

  const timer = setTimeout(() => void remove(), UNDO_MS)
  window.addEventListener('pagehide', leave)
  table.removeRows(new Set(ids))
  toasts.show(`${nouns.count(ids.length)} deleted`, { label: 'Undo', act: undo })
}
