import { describe, expect, test } from 'bun:test'
import { hostOf, isLoopback, isRegistered, problemOfRedirectUri, addParameters } from './redirect-uri'

describe('problemOfRedirectUri', () => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com:8443/callback?tenant=7',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:3000',
    'http://[::1]:3000/callback?x=1',
  ])('%s can be registered', (uri) => {
    expect(problemOfRedirectUri(uri, false)).toBeUndefined()
  })

  test.each([
    ['https://app.example.com/callback#part', 'fragment'],
    ['https://app.example.com/#', 'fragment'],
    ['https://*.example.com/callback', 'wildcard'],
    ['https://app.example.com/*', 'wildcard'],
    ['http://app.example.com/callback', 'https://'],
    ['http://localhost.example.com/callback', 'https://'],
    ['http://127.0.0.1.example.com/callback', 'https://'],
    ['http://localhost@example.com/callback', 'user'],
    ['https://user:password@example.com/', 'user'],
    ['https://', 'absolute'],
    ['https:app.example.com', 'host'],
    ['/callback', 'absolute'],
    ['callback', 'absolute'],
    ['', 'plain'],
    ['https://example.com/call back', 'plain'],
    ['https://example.com\\@evil.example', 'plain'],
    ['https://ex\u0430mple.com/', 'plain'],
    ['https://example.com/\r\nSet-Cookie: a=b', 'plain'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['myapp://callback', 'scheme'],
    ['com.example.app:/callback', 'public'],
    ['https://example.com/?code=1', 'code'],
    [`https://example.com/${'a'.repeat(2000)}`, '2000'],
  ])('%s is refused: %s', (uri, why) => {
    expect(problemOfRedirectUri(uri, false)).toContain(why)
  })

  test('a public app can have a private-use scheme', () => {
    expect(problemOfRedirectUri('com.example.app:/callback', true)).toBeUndefined()
    expect(problemOfRedirectUri('com.example.app://callback', true)).toBeUndefined()
    expect(problemOfRedirectUri('javascript:alert(1)', true)).toContain('scheme')
  })
})

describe('isRegistered', () => {
  const registered = ['https://app.example.com/callback', 'http://localhost:3000/callback', 'http://[::1]/']

  test.each([
    ['https://app.example.com/callback', true],
    ['http://localhost:3000/callback', true],
    ['http://localhost:49152/callback', true],
    ['http://localhost/callback', true],
    ['http://[::1]:5000/', true],
    ['https://app.example.com/callback/', false],
    ['https://app.example.com/Callback', false],
    ['https://APP.example.com/callback', false],
    ['https://app.example.com:443/callback', false],
    ['https://app.example.com/callback?x=1', false],
    ['https://app.example.com/callback#x', false],
    ['https://app.example.com/%63allback', false],
    ['https://app.example.com/x/../callback', false],
    ['http://app.example.com/callback', false],
    ['https://app.example.com.evil.example/callback', false],
    ['https://app.example.com@evil.example/callback', false],
    ['http://localhost:3000/other', false],
    ['http://localhost:3000@evil.example/callback', false],
    ['http://127.0.0.1:3000/callback', false],
    ['https://localhost:3000/callback', false],
    ['http://localhost:123456/callback', false],
    ['http://localhost:99999/callback', false],
    ['http://localhost:65536/callback', false],
    ['', false],
  ])('%s: %p', (uri, expected) => {
    expect(isRegistered(uri, registered)).toBe(expected)
  })
})

describe('addParameters', () => {
  test.each([
    ['https://a.example/cb', 'https://a.example/cb?code=1&state=a+b%26'],
    ['https://a.example/cb?x=%2F', 'https://a.example/cb?x=%2F&code=1&state=a+b%26'],
    ['https://a.example/cb?', 'https://a.example/cb?code=1&state=a+b%26'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=1&state=a+b%26'],
  ])('%s', (uri, expected) => {
    expect(addParameters(uri, { code: '1', state: 'a b&', error: undefined })).toBe(expected)
  })
})

test.each([
  ['https://app.example.com/callback', 'app.example.com', false],
  ['http://localhost:3000/callback', 'localhost:3000', true],
  ['http://[::1]/', '[::1]', true],
  ['com.example.app:/callback', 'com.example.app', false],
])('%s is shown as %s', (uri, host, isLocal) => {
  expect(hostOf(uri)).toBe(host)
  expect(isLoopback(uri)).toBe(isLocal)
})
