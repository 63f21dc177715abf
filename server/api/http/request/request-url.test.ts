import { describe, expect, test } from 'bun:test'
import { isHostValid, pathOf, urlOf } from './request-url'

describe('urlOf', () => {
  test.each([
    ['http://a.example/v2?x=1', 'http://a.example/v2?x=1'],
    ['/v2?x=1', 'http://localhost/v2?x=1'],
    ['//b.example/v2', 'http://localhost//b.example/v2'],
    ['http://a:99999/v2', 'http://localhost/'],
    ['a:80', 'a:80'],
    ['', 'http://localhost/'],
  ])('%j is %j', (url, href) => {
    expect(urlOf({ url }).href).toBe(href)
  })
})

describe('pathOf', () => {
  test.each([
    ['http://a.example/v2/%zz?x=1', '/v2/%zz'],
    ['http://a:99999/v2#x', '/v2'],
    ['/v2?x', '/v2'],
    ['http://a.example', '/'],
    ['', '/'],
  ])('of %j is %j', (url, path) => {
    expect(pathOf({ url })).toBe(path)
  })
})

describe('isHostValid', () => {
  const valid = (host: string) => isHostValid({ headers: new Headers({ host }) })

  test.each(['a', 'a.example', 'A_b.example:8080', '127.0.0.1', '[::1]:80', 'a:'])('%j is valid', (host) => {
    expect(valid(host)).toBe(true)
  })

  test.each(['', 'a b', 'a, b', 'a/b', 'a@b', 'a:99999', 'a:x', '[::1', '::1', '[x]', 'a%41', 'x'.repeat(256)])(
    '%j is not valid',
    (host) => {
      expect(valid(host)).toBe(false)
    },
  )

  test('a request without a Host header is valid', () => {
    expect(isHostValid({ headers: new Headers() })).toBe(true)
  })
})
