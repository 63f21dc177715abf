import { expect, test } from 'bun:test'
import { fillUnsubscribeUrl, fillVariables, unknownVariables } from './templates'

const texts = new Map([
  ['first_name', 'Ada'],
  ['job_title', ''],
])

test.each([
  ['Dear {{first_name}},', 'Dear Ada,', []],
  ['Dear {{ first_name | there }},', 'Dear Ada,', []],
  ['As {{job_title|an expert}}', 'As an expert', []],
  ['As {{job_title|}}!', 'As !', []],
  ['As {{job_title}}', 'As ', ['job_title']],
  ['{{unsubscribe_url}} {not} {{{first_name}}}', '{{unsubscribe_url}} {not} {Ada}', []],
  ['$& {{first_name}}', '$& Ada', []],
])('%j becomes %j', (text, filled, missing) => {
  expect(fillVariables(text, texts)).toEqual({ text: filled, missing })
})

test('unknown variables have the nearest name', () => {
  expect(
    unknownVariables('{{frist_name}} {{first_name}} {{}} {{frist_name|x}}', new Set(['first_name']), ['data', 'text']),
  ).toEqual([
    {
      code: 'invalid',
      path: ['data', 'text'],
      message: 'Unknown variable "frist_name"; did you mean "first_name"?',
      did_you_mean: 'first_name',
    },
    { code: 'invalid', path: ['data', 'text'], message: 'Unknown variable ""' },
  ])
})

test('the link is filled in at the end', () => {
  expect(fillUnsubscribeUrl('Stop: {{ unsubscribe_url }} {{first_name}}', 'https://x')).toBe(
    'Stop: https://x {{first_name}}',
  )
})
