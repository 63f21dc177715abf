/** The keys of the editor. `?` lists them with those that the toolbar shows. */

import { baseKeymap, chainCommands, deleteSelection } from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import { undoInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import type { Command, Plugin } from 'prosemirror-state'
import {
  type BlockKind,
  deleteBackward,
  leaveEmptyItem,
  moveItems,
  setKind,
  splitLine,
  toggle,
  toggleKind,
} from './commands'
import { closeFence, continueForm, deletePrefix, toggleDone, toggleForm } from './forms'
import { linkAt } from './links'
import { schema } from './schema'

const { bold, italic, strikethrough, highlight } = schema.marks

/** The format has no line breaks within a block, so each of these begins a block. */
const ENTER_KEYS = ['Enter', 'Shift-Enter', 'Mod-Enter']

const KINDS: Readonly<Record<string, BlockKind>> = {
  'Mod-Alt-1': 'heading-1',
  'Mod-Alt-2': 'heading-2',
  'Mod-Alt-3': 'heading-3',
  'Mod-Shift-7': 'number',
  'Mod-Shift-8': 'bullet',
}

export const editorKeys = (editLink: () => void): Plugin[] => [keymap(ownKeys(editLink)), keymap(baseKeymap)]

const ownKeys = (editLink: () => void): Record<string, Command> => ({
  ...Object.fromEntries(
    ENTER_KEYS.map((key) => [
      key,
      chainCommands(
        ...(key === 'Mod-Enter' ? [toggleDone] : []),
        closeFence,
        continueForm(splitLine),
        leaveEmptyItem,
        splitLine,
      ),
    ]),
  ),
  ...Object.fromEntries(Object.entries(KINDS).map(([key, kind]) => [key, toggleKind(kind)])),
  'Mod-Alt-0': setKind('paragraph'),
  'Mod-Shift-9': toggleForm('task'),
  'Mod-Shift-.': toggleForm('quote'),
  'Mod-b': toggle(bold),
  'Mod-i': toggle(italic),
  'Mod-Shift-x': toggle(strikethrough),
  'Mod-Shift-h': toggle(highlight),
  'Mod-k': (state) => {
    // Without a text to link, the key opens the palette.
    if (state.selection.empty && linkAt(state) === undefined) return false
    editLink()
    return true
  },
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  Tab: moveItems(1),
  'Shift-Tab': moveItems(-1),
  Backspace: chainCommands(deleteSelection, undoInputRule, deletePrefix, deleteBackward),
})
