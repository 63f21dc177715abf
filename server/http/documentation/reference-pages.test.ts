import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testService, type TestService } from '../../testing/service'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const FOLDER = join(import.meta.dir, '../../../docs/reference')
const PATHS = [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })]
  .map((file) => file.slice(0, -'.md'.length))
  .map((name) => (name === 'README' ? '/docs/reference' : `/docs/reference/${name}`))

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

  test('every link between its pages leads to a heading that exists', async () => {
    const links = await Promise.all(
      PATHS.map(async (path) => [...(await read(path)).matchAll(/href="([/#][^"]*)"/g)].map(([, link = '']) => link)),
    )
    const wrong = await Promise.all(
      links.flatMap((all, index) =>
        [...new Set(all)].map(async (link) => {
          const [path = '', anchor] = (link.startsWith('#') ? PATHS[index] + link : link).split('#')
          const { status, body } = await get(path)
          const isThere = status === 200 && (anchor === undefined || String(body).includes(` id="${anchor}"`))
          return isThere ? [] : [`${PATHS[index]}: ${link}`]
        }),
      ),
    )
    expect(wrong.flat()).toEqual([])
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

test('the list of operations links to the reference', async () => {
  const { body } = await get('/openapi.json')
  expect(body.externalDocs.url).toBe('http://localhost:8080/docs/reference')
})
