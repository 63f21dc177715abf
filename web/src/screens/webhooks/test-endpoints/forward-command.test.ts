import { expect, test } from 'bun:test'
import { COMMANDS } from '#run/cli/commands'
import { findCommand, readArguments } from '#run/cli/read-arguments'
import { forwardCommand, problemOf } from './forward-command'

test('the command takes what the page writes', async () => {
  const to = "http://localhost:3000/it's?a=1&b=$HOME"
  const text = forwardCommand({ endpointId: 'x', to, service: 'https://crm.example' })
  const shown = text.replace('bun', "printf '%s\\n'")
  const words = (await new Response(Bun.spawn(['sh', '-c', shown]).stdout).text()).split('\n').slice(0, -1)
  expect(words.shift()).toBe('relata')
  const [command, rest] = findCommand(COMMANDS, words) ?? []
  if (command === undefined || rest === undefined) throw new Error(`There is no command for ${words.join(' ')}.`)
  expect(readArguments(command, rest).options).toEqual({
    endpoint: 'x',
    to,
    service: 'https://crm.example',
    key: '<key>',
  })
})

test.each([
  ['http://localhost:3000', true],
  [' https://a.test/x ', true],
  ['localhost:3000', false],
  ['', false],
  ['ftp://a', false],
])('%j is an address: %p', (to, isAddress) => {
  expect(problemOf(to) === undefined).toBe(isAddress)
})
