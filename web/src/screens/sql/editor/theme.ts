/** How the editor looks. Its rules name the tokens of the console, which elements in its shadow root inherit. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const LOOK = EditorView.theme({
  '&': { height: '100%', background: 'var(--ground)', color: 'var(--ink)', fontSize: 'var(--text-m)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: 'var(--space-2) 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--space-3) 0 var(--space-2)' },
  '.cm-gutters': { border: '0', background: 'var(--ground)', color: 'var(--ink-faint)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.25rem', padding: '0 var(--space-1) 0 var(--space-2)' },
  '.cm-activeLineGutter': { background: 'none', color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#cfd5ff, #39438f)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--ground-pressed)', outline: '1px solid var(--line-strong)' },
  '.cm-placeholder': { color: 'var(--ink-faint)' },
  '.cm-error': {
    background: 'var(--danger-ground)',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-m)',
    background: 'var(--ground-raised)',
    boxShadow: 'var(--lift)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '14rem', fontFamily: 'var(--font-code)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.125rem var(--space-2)', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--ground-selected)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--ink-soft)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { color: 'var(--accent-text)', textDecoration: 'none', fontWeight: '600' },
})

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent-text)', fontWeight: '500' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--success-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning-text)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--warning-text)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
])

export const theme = [LOOK, syntaxHighlighting(COLORS)]
