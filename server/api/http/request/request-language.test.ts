import { describe, expect, test } from 'bun:test'
import type { Language } from '#vocabulary/languages'
import { requestLanguage } from './request-language'

describe('the language of a request', () => {
  test.each<[Record<string, string>, Language | undefined]>([
    [{}, undefined],
    [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
    [{ 'accept-language': 'en-US,en;q=0.9,de;q=0.8' }, 'en'],
    [{ 'accept-language': 'fr,de;q=0.5,en;q=0.4' }, 'de'],
    [{ 'accept-language': 'fr' }, undefined],
    [{ 'accept-language': '*' }, 'en'],
    [{ 'accept-language': 'd'.repeat(501) }, undefined],
    [{ 'accept-language': 'en', cookie: 'session=x; language=de' }, 'de'],
    [{ 'accept-language': 'de', cookie: 'language=xx' }, 'de'],
    [{ 'accept-language': 'de', cookie: 'my_language=en' }, 'de'],
  ])('%p', (headers, language) => {
    expect(requestLanguage({ headers: new Headers(headers) })).toBe(language)
  })
})
