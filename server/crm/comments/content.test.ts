/** See docs/reference/comments.md (Mentions). */

import { describe, expect, test } from 'bun:test'
import { type Member, ModelVersionConflict } from '#engine/data-model/model'
import { leastCpuTime, limitHere } from '#testing/cpu-time'
import { mentionedIn, parseMentions, renderMentions } from './content'

const memberOf = (id: string, email_address: string): Member => ({
  id,
  actor: 1,
  email_address,
  access_level: 'member',
})
const ADA = memberOf('ada', 'Ada@Example.com')
const members = [ADA, memberOf('bob', "bob.o'neil+x@mail.example.co.uk"), memberOf('zoe', 'zoë@exämple.com')]
const membersByEmail = new Map(members.map((member) => [member.email_address.toLowerCase(), member]))
const membersById = new Map(members.map((member) => [member.id, member]))

const ada = { member: 'ada' }
const cases: [text: string, content: readonly (string | { member: string })[]][] = [
  ['', []],
  ['No one', ['No one']],
  ['ada@example.com', [ada]],
  ['Ask ADA@EXAMPLE.COM, please.', ['Ask ', ada, ', please.']],
  ['Ask ada@example.com.', ['Ask ', ada, '.']],
  ['(ada@example.com)', ['(', ada, ')']],
  ['<ada@example.com>', ['<', ada, '>']],
  ["'ada@example.com'", ["'", ada, "'"]],
  ['_ada@example.com_', ['_', ada, '_']],
  ['mailto:ada@example.com?x', ['mailto:', ada, '?x']],
  ['@ada@example.com', ['@', ada]],
  ['ada@example.com@example.com', [ada, '@example.com']],
  ['ada@example.com ada@example.com', [ada, ' ', ada]],
  ["ada@example.com\nbob.o'neil+x@mail.example.co.uk", [ada, '\n', { member: 'bob' }]],
  ['zoë@exämple.com', [{ member: 'zoe' }]],
  ['xada@example.com', ['xada@example.com']],
  ['x.ada@example.com', ['x.ada@example.com']],
  ['ada@example.community', ['ada@example.community']],
  ['ada@example.com.au', ['ada@example.com.au']],
  ['ada@example', ['ada@example']],
  ['guest@example.com', ['guest@example.com']],
  ['@', ['@']],
  ['ada@', ['ada@']],
]

describe('content', () => {
  test.each(cases)('%p', (text, content) => {
    const parsed = parseMentions({ membersByEmail }, text)
    expect(parsed).toEqual(content)
    expect(renderMentions({ membersById }, parsed).toLowerCase()).toBe(text.toLowerCase())
  })

  test('renders the present address of a member', () => {
    const renamed = new Map([['ada', { ...ADA, email_address: 'new@example.com' }]])
    expect(renderMentions({ membersById: renamed }, ['Hello ', ada])).toBe('Hello new@example.com')
  })

  test('refuses to render a member that the data model lacks', () => {
    expect(() => renderMentions({ membersById: new Map() }, [ada])).toThrow(ModelVersionConflict)
  })

  test('names each mentioned member once', () => {
    expect(mentionedIn([ada, ' and ', { member: 'bob' }, ada])).toEqual(['ada', 'bob'])
  })

  test.each(['@', 'a@', 'a@b.', 'ada@example.com', "'@'", `${'a'.repeat(300)}@`])(
    'is parsed in time that grows with its length, of %p',
    (part) => {
      const text = part.repeat(Math.ceil(1_000_000 / part.length))
      const limit = limitHere(5000)
      expect(leastCpuTime(() => parseMentions({ membersByEmail }, text), limit)).toBeLessThanOrEqual(limit)
    },
  )
})
