import { expect, test } from 'bun:test'
import { asCurl } from './curl'

test('a shell runs the command with exactly the body, for any characters', async () => {
  const body = `{"text":"it's $HOME \\n \`x\`"}`
  const command = asCurl({
    method: 'POST',
    url: 'https://example.com/?a=1&b=2',
    headers: { 'Content-Type': 'application/json', Host: 'example.com' },
    body,
  })
  expect(command).not.toContain('Host:')
  const words = await new Response(Bun.spawn(['sh', '-c', command.replace('curl', "printf '%s\\n'")]).stdout).text()
  expect(words.split('\n').slice(0, -1)).toEqual([
    '-X',
    'POST',
    'https://example.com/?a=1&b=2',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    body,
  ])
})

test('the command for a delivery without a body has no --data', () => {
  expect(asCurl({ method: 'GET', url: 'http://localhost/', headers: {}, body: '' })).toBe(
    "curl -X GET 'http://localhost/'",
  )
})
