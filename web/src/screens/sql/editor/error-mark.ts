/** Marks the word at which a query has an error, until the text there changes. */

import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { wordAt } from './positions'

/** The offset of the error; null removes the mark. */
export const setError = StateEffect.define<number | null>()

const MARK = Decoration.mark({ class: 'cm-error', attributes: { 'aria-invalid': 'true' } })

export const errorMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = transaction.docChanged ? Decoration.none : marks
    for (const effect of transaction.effects) {
      if (!effect.is(setError)) continue
      const range = effect.value === null ? undefined : wordAt(transaction.newDoc.toString(), effect.value)
      next = range === undefined ? Decoration.none : Decoration.set(MARK.range(range.from, range.to))
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})
