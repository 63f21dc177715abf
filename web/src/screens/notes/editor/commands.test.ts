import { describe, expect, test } from 'bun:test'
import { EditorState, type Command, TextSelection } from 'prosemirror-state'
import { parseMarkdown } from '#base/text/block-document/parse-markdown'
import { atOnce } from '#base/timing/in-slices'
import { documentFrom } from './blocks'
import {
  deleteBackward,
  isMarked,
  leaveEmptyItem,
  moveItems,
  selectedKind,
  setKind,
  splitLine,
  toggle,
} from './commands'
import { closeFence, continueForm, deletePrefix, formsOf, toggleDone, toggleForm } from './forms'
import { isLinkTarget, readLinkTarget } from './link-target'
import { linkAt, removeLink, setLink } from './links'
import { lists } from './lists'
import { writeMarkdown } from './markdown/write-markdown'
import { schema } from './schema'
import { choicesFor, insertMention, replaceTyped, type Typed, typedAt } from './suggestions'

/** An editor whose selection is marked in the markdown: `|` where it begins, and a second one where it ends. */
function editing(marked: string): EditorState {
  const markdown = marked.replaceAll('|', '')
  const doc = documentFrom(atOnce(parseMarkdown(markdown)))
  const withMarkers = documentFrom(atOnce(parseMarkdown(marked)))
  const places: number[] = []
  withMarkers.descendants((node, at) => {
    for (const [index, character] of [...(node.text ?? '')].entries())
      if (character === '|') places.push(at + index - places.length)
  })
  const [from = 1, to = from] = places
  return EditorState.create({ doc, plugins: [lists()], selection: TextSelection.create(doc, from, to) })
}

/** The markdown after a command; undefined when it does not apply. */
function after(marked: string, command: Command): string | undefined {
  const state = editing(marked)
  let next = state
  const isUsed = command(state, (transaction) => (next = state.apply(transaction)))
  return isUsed ? writeMarkdown(next.doc) : undefined
}

describe('commands', () => {
  const CASES: readonly (readonly [what: string, before: string, command: Command, after: string | undefined])[] = [
    ['makes headings', 'a|b\nc', setKind('heading-2'), '## ab\nc'],
    ['makes items of several lines', 'a|b\nc|d', setKind('bullet'), '- ab\n- cd'],
    ['keeps the indent of items', '- a\n  - b|', setKind('number'), '- a\n  1. b'],
    ['moves an item in', '- a\n- b|', moveItems(1), '- a\n  - b'],
    ['moves no item further in than one level', '- a\n  - b|', moveItems(1), '- a\n  - b'],
    ['moves an item out, and those in it', '- a\n  - b|\n    - c', moveItems(-1), '- a\n- b\n  - c'],
    ['leaves Tab to the page outside of lists', 'a|', moveItems(1), undefined],
    ['moves an empty item out', '- a\n  - |', leaveEmptyItem, '- a\n-'],
    ['ends a list with an empty item', '- a\n- |', leaveEmptyItem, '- a\n'],
    ['leaves other items to the next command', '- a|', leaveEmptyItem, undefined],
    ['makes a checklist of paragraphs', 'a|b\nc|d', toggleForm('task'), '- \\[ \\] ab\n- \\[ \\] cd'],
    ['makes a checklist of items', '- a\n  1. b|', toggleForm('task'), '- a\n  1. \\[ \\] b'],
    ['makes items of a checklist', '- [ ] a|b\n- [x] c|d', toggleForm('task'), '- ab\n- cd'],
    ['marks a task as done', '- [ ] a|', toggleDone, '- \\[x\\] a'],
    ['marks a task as not done', '- [x] a|', toggleDone, '- \\[ \\] a'],
    ['marks nothing else as done', '- a|', toggleDone, undefined],
    ['quotes lines', '# a|b\n- c|', toggleForm('quote'), '> ab\n> c'],
    ['ends a quote', '> a|b', toggleForm('quote'), 'ab'],
    ['makes code of lines', '# *a*\n|b\\*|', toggleForm('code'), '# *a*\n\\`\\`\\`\nb\\*\n\\`\\`\\`'],
    ['makes text of code', '```\na|*\n```\nb', toggleForm('code'), 'a\\*\nb'],
    ['continues a checklist', '- [x] a|b', continueForm(splitLine), '- \\[x\\] a\n- \\[ \\] b'],
    ['ends a checklist with an empty task', '- [ ] a\n- [ ]|', continueForm(splitLine), '- \\[ \\] a\n'],
    ['continues a quote', '> a|b', continueForm(splitLine), '> a\n> b'],
    ['ends a quote with an empty line', '> a\n>|', continueForm(splitLine), '> a\n'],
    ['closes a fence', '```js|', closeFence, '\\`\\`\\`js\n\n\\`\\`\\`'],
    ['closes no fence twice', '```js|\na\n```', closeFence, undefined],
    ['makes an item of a task', '- [ ] |a', deletePrefix, '- a'],
    ['makes a paragraph of a quote', '> |a', deletePrefix, 'a'],
    ['deletes the last character of a quote', '> a|', deletePrefix, '>&#32;'],
    ['leaves other beginnings to the next command', '- |a', deletePrefix, undefined],
    ['marks no code', '```\n|a|\n```', toggle(schema.marks.bold), undefined],
    ['splits an item into two', '- a|b', splitLine, '- a\n- b'],
    ['begins a paragraph after a heading', '# ab|', splitLine, '# ab\n'],
    ['makes a paragraph of an item', '- |a', deleteBackward, 'a'],
    ['joins paragraphs', 'a\n|b', deleteBackward, 'ab'],
    ['marks a selection', 'a |b c| d', toggle(schema.marks.bold), 'a **b c** d'],
    ['marks all of a mixed selection', '|a **b**|', toggle(schema.marks.bold), '**a b**'],
    ['removes a mark', '**|a b|**', toggle(schema.marks.bold), 'a b'],
    ['links a selection', 'a |b|', setLink('https://relata.dev'), 'a [b](https://relata.dev)'],
    ['inserts a target without a selection', 'a|b', setLink('tel:1'), 'a[tel:1](tel:1)b'],
    ['changes a link', 'a [b|c](tel:1)', setLink('tel:2'), 'a [bc](tel:2)'],
    ['removes a link', 'a [b|c](tel:1)', removeLink, 'a bc'],
  ]
  test.each(CASES)('%s', (_what, before, command, expected) => {
    expect(after(before, command)).toBe(expected)
  })

  test('know the selected blocks, marks and link', () => {
    expect(selectedKind(editing('# a|b'))).toBe('heading-1')
    expect(selectedKind(editing('a|b\n- c|'))).toBeUndefined()
    expect(isMarked(editing('|a *b*|'), schema.marks.italic)).toBe(false)
    expect(isMarked(editing('a *|b|*'), schema.marks.italic)).toBe(true)
    expect(linkAt(editing('a [b|c](tel:1) d'))).toEqual({ href: 'tel:1', from: 3, to: 5 })
    expect(linkAt(editing('|a [bc](tel:1)'))).toBeUndefined()
  })
})

describe('forms', () => {
  test('of lines', () => {
    const doc = documentFrom(
      atOnce(parseMarkdown('- [ ] a\n- [x]\n1. [X] b\n[ ] c\n- [y] d\n> q\n>\n>e\n```\n> f\n```\n```')),
    )
    expect(formsOf(doc).map((form) => form && [form.name, form.prefix, form.isDone])).toEqual([
      ['task', 4, false], ['task', 3, true], ['task', 4, true], undefined, undefined, ['quote', 2, undefined], ['quote', 1, undefined],
      undefined, ['code', 0, undefined], ['code', 0, undefined], ['code', 0, undefined], undefined,
    ]) // prettier-ignore
  })
})

describe('what is typed to choose from a list', () => {
  test.each([
    ['/|', ['/', '']],
    ['/head|', ['/', 'head']],
    ['a /head|', undefined],
    ['/head| 1', ['/', 'head']],
    ['@|', ['@', '']],
    ['ask @ada lo|', ['@', 'ada lo']],
    ['ask @ada of the four|', undefined],
    ['ask (@ada|', ['@', 'ada']],
    ['mail ada@exa|', undefined],
    ['ask @ ada|', undefined],
    ['```\n/a|\n```', undefined],
    [`@${'a'.repeat(60)}|`, undefined],
  ])('%j', (marked, expected) => {
    const typed = typedAt(editing(marked))
    expect(typed && [typed.sign, typed.query]).toEqual(expected)
  })

  test('is replaced', () => {
    const replaced = (marked: string, make: (typed: Typed) => Command) =>
      after(marked, (state, dispatch) => {
        const typed = typedAt(state)
        return typed !== undefined && make(typed)(state, dispatch)
      })
    expect(replaced('/head|', (typed) => replaceTyped(typed, setKind('heading-1')))).toBe('#')
    expect(replaced('/todo|', (typed) => replaceTyped(typed, toggleForm('task')))).toBe('- \\[ \\]&#32;')
    expect(replaced('/text|', (typed) => replaceTyped(typed, setKind('paragraph')))).toBe('')
    expect(replaced('ask @ada|.', (typed) => insertMention(typed, 'Ada', 'mailto:a@b.c'))).toBe(
      'ask [Ada](mailto:a@b.c).',
    )
    expect(choicesFor('h').map(({ label }) => label)).toContain('Heading 2')
  })
})

describe('targets of links', () => {
  test.each([
    ['https://relata.dev/a?b#c', 'https://relata.dev/a?b#c'],
    [' relata.dev/docs ', 'https://relata.dev/docs'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['tel:+49123', 'tel:+49123'],
    ['javascript:alert(1)', undefined],
    ['JavaScript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//evil.example', undefined],
    ['just words', undefined],
    [`https://e.org/${'a'.repeat(2000)}`, undefined],
  ])('%s', (text, target) => {
    expect(readLinkTarget(text)).toBe(target)
    if (target !== undefined) expect(isLinkTarget(target)).toBe(true)
  })
})
