import { describe, expect, test } from 'bun:test'
import { sessionCookie } from './sessions'

const read = (cookie: string, appUrl = 'http://localhost:8080') =>
  sessionCookie('acme', appUrl).read(new Request('http://localhost', { headers: { Cookie: cookie } }))

describe('the session in a Cookie header', () => {
  const cases: [header: string, token: string | undefined][] = [
    ['acme_session=abc', 'abc'],
    ['theme=dark; acme_session=abc; other=1', 'abc'],
    ['theme=dark;acme_session=abc', 'abc'],
    ['acme_session=', undefined],
    ['not_acme_session=abc', undefined],
    ['acme_session_2=abc', undefined],
    ['__Host-acme_session=abc', undefined],
    ['', undefined],
  ]
  test.each(cases)('%p', (header, token) => expect(read(header)).toBe(token as string))

  test('has another name with TLS', () => {
    expect(read('acme_session=abc', 'https://crm.example')).toBeUndefined()
    expect(read('__Host-acme_session=abc', 'https://crm.example')).toBe('abc')
  })
})
