/** Deletes records or entries some seconds after they disappeared from the screen, so that a person can undo it. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { writeBatch } from '../../../../api/records/bulk'
import { inBatches } from '../../../../state/bulk-runs.svelte'
import { toasts } from '../../../../state/toasts.svelte'
import { deleteMany } from '../delete-many'

/** As long as the message with the button is shown. */
const UNDO_MS = 10_000

interface LaterDeletion {
  readonly entityType: EntityTypePath
  readonly ids: readonly string[]
  /** The message: "3 entries deleted". */
  readonly text: string
  readonly hide: () => unknown
  /** Shows again what was not deleted. */
  readonly show: () => unknown
}

export function deleteLater({ entityType, ids, text, hide, show }: LaterDeletion): void {
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
    show()
  }

  /** The page is closed before the time is over. */
  function leave() {
    if (!decide()) return
    for (const batch of inBatches(ids)) void writeBatch(entityType, batch, { op: 'delete' }, { keepalive: true })
  }

  const timer = setTimeout(() => void remove(), UNDO_MS)
  window.addEventListener('pagehide', leave)
  hide()
  toasts.show(text, { label: 'Undo', act: () => decide() && show() })
}
