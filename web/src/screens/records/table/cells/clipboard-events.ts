/** Copies, cuts and pastes cells while the grid has the focus. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Table } from '../table.svelte'
import { clearRange } from './change-range'
import { copyRange, readClipboard } from './clipboard'
import { paste } from './paste'

/** An attachment of the grid. The browser sends these events to the element with the focus. */
export const clipboardEvents =
  (table: Table, columns: () => readonly Attribute[]) =>
  (grid: HTMLElement): (() => void) => {
    const listener = (event: ClipboardEvent) => {
      if (document.activeElement !== grid || !event.clipboardData) return
      if (event.type === 'paste') {
        const copied = readClipboard(event.clipboardData)
        if (copied) void paste(table, columns(), copied)
      } else copyRange(table, columns(), event.clipboardData)
      if (event.type === 'cut') clearRange(table, columns())
      event.preventDefault()
    }
    const types = ['copy', 'cut', 'paste'] as const
    for (const type of types) document.addEventListener(type, listener)
    return () => types.forEach((type) => document.removeEventListener(type, listener))
  }
