import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const PATHS = [...new Bun.Glob('*.md').scanSync({ cwd: join(import.meta.dir, '../../../../docs/reference') })]
  .map((file) => file.slice(0, -'.md'.length))
  .map((name) => (name === 'README' ? '/docs/reference' : `/docs/reference/${name}`))
  .concat(['webhooks', 'events', 'access', 'import'].map((name) => `/docs/guides/${name}`))

const get = (path: string) => service.request('GET', path, undefined, { key: null })
const read = async (path: string) => String((await get(path)).body)

describe('/docs/reference', () => {
  test.each(PATHS)('200 with %s as a page that needs no token and loads nothing from other hosts', async (path) => {
    const { status, body, headers } = await get(path)
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(body).toContain('<h1 ')
    expect(body).toContain(`<a href="${path}" aria-current="page">`)
    expect(body).not.toMatch(/<script|<style|src="|href="https?:/)
  })

  test('every link of every page below /docs leads to a page and a heading that exist', async () => {
    const wrong: string[] = []
    const found = new Map<string, string>()
    for (const path of [...PATHS, '/docs']) await visit(path, 'the list of pages')
    async function visit(path: string, from: string): Promise<void> {
      if (found.has(path)) return
      const { status, body } = await get(path)
      found.set(path, String(body))
      if (status !== 200) return void wrong.push(`${from}: ${path}`)
      for (const link of linksIn(String(body))) await visit(new URL(link, `http://host${path}`).pathname, path)
    }
    for (const [path, page] of found) {
      for (const link of linksIn(page)) {
        const { pathname, hash } = new URL(link, `http://host${path}`)
        const id = decodeURIComponent(hash.slice(1))
        if (id !== '' && !found.get(pathname)?.includes(` id="${id}"`)) wrong.push(`${path}: ${link}`)
      }
    }
    expect(wrong).toEqual([])
    expect(found.size).toBeGreaterThan(PATHS.length)
  })

  test('a link to a file that is not served is text', async () => {
    const page = await read('/docs/guides/import')
    expect(page).not.toContain('.md')
    expect(page).toContain('href="/docs/reference/trash"')
  })

  test('200 with the style sheet', async () => {
    const { status, headers } = await get('/docs/reference.css')
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/css; charset=utf-8'])
  })

  test.each(['nothing', 'values.md', '..%2f..%2fREADME', '%00'])('404 for %s', async (page) => {
    const { status, body } = await get(`/docs/reference/${page}`)
    expect([status, body.code]).toEqual([404, 'not_found'])
  })
})

/** The links of an HTML page, without those to other hosts and data; none of scripts and style sheets. */
const linksIn = (page: string): string[] =>
  page.startsWith('<!doctype')
    ? [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link).filter((link) => !/^\w+:/.test(link))
    : []

test('the list of operations links to the reference', async () => {
  const { body } = await get('/openapi.json')
  expect(body.externalDocs.url).toBe('http://localhost:8080/docs/reference')
})
