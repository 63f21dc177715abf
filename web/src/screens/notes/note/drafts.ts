/**
 * Texts that were not saved when their page was left, such as by a reload without a connection. The browser keeps them for its
 * tab, as documents of the editor.
 */

import { Node } from 'prosemirror-model'
import { schema } from '../editor/schema'
import type { SaveBase } from './autosave'

export interface Draft {
  readonly title: string
  readonly doc: Node
  readonly base: SaveBase
}

const keyOf = (noteId: string): string => `note-draft ${noteId}`

export function storeDraft(noteId: string, { title, doc, base }: Draft): void {
  try {
    sessionStorage.setItem(keyOf(noteId), JSON.stringify({ title, doc: doc.toJSON(), base }))
  } catch {
    // The storage is full or turned off. A page that cannot save its text asks before it is left.
  }
}

export const removeDraft = (noteId: string): void => sessionStorage.removeItem(keyOf(noteId))

export function findDraft(noteId: string): Draft | undefined {
  const text = sessionStorage.getItem(keyOf(noteId))
  if (text === null) return undefined
  try {
    const { title, doc, base } = JSON.parse(text) // as `storeDraft` wrote it
    return { title, doc: checked(Node.fromJSON(schema, doc)), base }
  } catch {
    return undefined // of an older version of the console
  }
}

function checked(doc: Node): Node {
  doc.check()
  return doc
}
