import { expect, spyOn, test } from 'bun:test'
import { runtimeError } from './error-from-exception'

test('500 with an error body; only the log has the cause', async () => {
  const lines: string[] = []
  const log = spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  const server = Bun.serve({
    port: 0,
    development: false,
    error: runtimeError('relata'),
    fetch() {
      throw new Error('secret cause')
    },
  })
  try {
    const response = await fetch(server.url)
    const { status, headers } = response
    const body = await response.json()
    expect({ status, ...body }).toMatchObject({
      status: 500,
      status_code: 500,
      type: 'api_error',
      code: 'internal_error',
    })
    expect(JSON.stringify(body)).not.toContain('secret cause')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      error: 'secret cause',
      request_id: headers.get('x-request-id'),
    })
  } finally {
    log.mockRestore()
    await server.stop(true)
  }
})
