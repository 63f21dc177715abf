import { describe, expect, test } from 'bun:test'
import { csvDownload } from './export-stream'

interface Row {
  readonly name: string
  readonly note: string | null
}

function download(fileName: string, pages: readonly (readonly Row[])[]) {
  let hasEnded = false
  async function* read() {
    try {
      yield* pages
    } finally {
      hasEnded = true
    }
  }
  const columns = ['name', 'note'] as const
  const response = csvDownload({ fileName, columns, pages: read(), valueOf: (row: Row, column) => row[column] })
  return { response, hasEnded: () => hasEnded }
}

describe('a CSV download', () => {
  test('has the names of the columns and the rows of every page, and no cell is a formula', async () => {
    const { response } = download('x.csv', [
      [
        { name: 'a,b', note: null },
        { name: '=1+1', note: '"' },
      ],
      [{ name: 'c\nd', note: '' }],
    ])
    expect(await response.text()).toBe('name,note\r\n"a,b",\r\n"\'=1+1",""""\r\n"c\nd",\r\n')
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
  })

  test('has only the names of the columns when there are no rows', async () => {
    expect(await download('x.csv', []).response.text()).toBe('name,note\r\n')
  })

  test('reads no further page after the client has closed the connection', async () => {
    const { response, hasEnded } = download('x.csv', [[], [{ name: 'a', note: null }], []])
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    await reader?.cancel()
    expect(hasEnded()).toBe(true)
  })

  test.each([
    ['audit-log.csv', `attachment; filename="audit-log.csv"; filename*=UTF-8''audit-log.csv`],
    ['a "b"\\c.csv', `attachment; filename="a _b__c.csv"; filename*=UTF-8''a%20%22b%22%5Cc.csv`],
    ['Kölns (1)*.csv', `attachment; filename="K_lns (1)_.csv"; filename*=UTF-8''K%C3%B6lns%20%281%29%2A.csv`],
    ["it's\r\n\ud800", `attachment; filename="it_s___"; filename*=UTF-8''it%27s%0D%0A%EF%BF%BD`],
  ])('has the file name %j', (name, header) => {
    expect(download(name, []).response.headers.get('Content-Disposition')).toBe(header)
  })
})
