import { describe, expect, test } from 'bun:test'
import type { WorkspaceMember } from '../../api/access/workspace-members'
import { insertMention, mentionAt, splitMentions } from './mentions'

const member = (email_address: string): WorkspaceMember => ({
  id: { workspace_id: '', workspace_member_id: email_address },
  first_name: '',
  last_name: '',
  avatar_url: null,
  email_address,
  access_level: 'member',
  created_at: '',
})
const MEMBERS = [member('ada@example.com'), member('o’neill@example.com'), member('grace@example.com')]

/** The text with the addresses of mentions in angle brackets. */
const marked = (text: string) =>
  splitMentions(text, MEMBERS)
    .map((part) => (typeof part === 'string' ? part : `<${part.email_address}>`))
    .join('')

describe('the mentions of a text', () => {
  const cases: [text: string, marked: string][] = [
    ['', ''],
    ['Nothing to see @ here.', 'Nothing to see @ here.'],
    ['Ask ada@example.com.', 'Ask <ada@example.com>.'],
    ['(ADA@example.com)', '(<ada@example.com>)'],
    ["'ada@example.com'", "'<ada@example.com>'"],
    ['ada@example.com.au', 'ada@example.com.au'],
    ['no-ada@example.com', 'no-ada@example.com'],
    ['ada@example.com,grace@example.com', '<ada@example.com>,<grace@example.com>'],
    ['bob@example.com ada@example.com', 'bob@example.com <ada@example.com>'],
    ['<b>ada@example.com</b>', '<b><ada@example.com></b>'],
  ]
  test.each(cases)('%p', (text, expected) => expect(marked(text)).toBe(expected))

  test('are not found in a long text of signs', () => {
    const text = '@'.repeat(10_000)
    expect(marked(text)).toBe(text)
  })
})

describe('a mention that is typed', () => {
  const cases: [text: string, from: number | undefined, query: string | undefined][] = [
    ['@', 0, ''],
    ['Hello @gra', 6, 'gra'],
    ['Hello @Grace Hop', 6, 'Grace Hop'],
    ['(@ada', 1, 'ada'],
    ['ada@example', undefined, undefined],
    ['@ada\nmore', undefined, undefined],
    ['', undefined, undefined],
    [`@${'a'.repeat(41)}`, undefined, undefined],
  ]
  test.each(cases)('%p', (text, from, query) => {
    const found = mentionAt(text, text.length)
    expect([found?.from, found?.query]).toEqual([from, query])
  })

  test('ends at the caret', () => expect(mentionAt('@ada and others', 4)).toEqual({ from: 0, query: 'ada' }))

  test.each([
    ['Hi @gr', 6, 'Hi grace@example.com '],
    ['Hi @gr there', 6, 'Hi grace@example.com there'],
  ])('%p becomes the address', (text, caret, expected) => {
    const typed = mentionAt(text, caret)
    if (!typed) throw new Error('No mention was found.')
    const inserted = insertMention(text, typed, 'grace@example.com')
    expect(inserted).toEqual({ text: expected, caret: 'Hi grace@example.com '.length })
  })
})
