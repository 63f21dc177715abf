import { describe, expect, test } from 'bun:test'
import { clientAddress, isSameOrigin } from './request-url'

const requestWith = (headers: Record<string, string>) => new Request('http://internal/', { method: 'POST', headers })

describe('isSameOrigin', () => {
  const cases: [headers: Record<string, string>, isSame: boolean][] = [
    [{}, true],
    [{ 'Sec-Fetch-Site': 'same-origin' }, true],
    [{ 'Sec-Fetch-Site': 'none' }, true],
    [{ 'Sec-Fetch-Site': 'same-site' }, false],
    [{ 'Sec-Fetch-Site': 'cross-site' }, false],
    [{ Origin: 'https://crm.example' }, true],
    [{ Origin: 'https://crm.example', 'Sec-Fetch-Site': 'cross-site' }, false],
    [{ Origin: 'http://localhost:5173', Host: 'localhost:5173' }, true],
    [{ Origin: 'http://localhost:5174', Host: 'localhost:5173' }, false],
    [{ Origin: 'https://crm.example.evil.example' }, false],
    [{ Origin: 'http://crm.example' }, false],
    [{ Origin: 'null' }, false],
  ]
  test.each(cases)('%j: %p', (headers, isSame) =>
    expect(isSameOrigin(requestWith(headers), 'https://crm.example/base')).toBe(isSame),
  )
})

describe('clientAddress', () => {
  const listener = { requestIP: () => ({ address: '10.0.0.1' }) }
  const cases: [forwarded: string | undefined, proxies: number, address: string][] = [
    [undefined, 0, '10.0.0.1'],
    ['192.0.2.1', 0, '10.0.0.1'],
    ['192.0.2.1', 1, '192.0.2.1'],
    ['6.6.6.6, 192.0.2.1', 1, '192.0.2.1'],
    ['6.6.6.6, 192.0.2.1, 10.0.0.2', 2, '192.0.2.1'],
    ['192.0.2.1', 2, '192.0.2.1'],
    [undefined, 2, '10.0.0.1'],
  ]
  test.each(cases)('%p behind %p proxies is %s', (forwarded, proxies, address) => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
    expect(clientAddress(requestWith(headers), listener, proxies)).toBe(address)
  })

  test('is unknown without a connection', () => expect(clientAddress(requestWith({}), null, 0)).toBeNull())
})
