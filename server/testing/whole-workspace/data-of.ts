import type { TestService } from '../service'

/** Sends requests to `/v2` and returns their data. Throws for a refused one. */
export const dataOf =
  ({ request }: Pick<TestService, 'request'>, method: string) =>
  // A test that names a wrong member gets undefined and fails.
  // oxlint-disable-next-line typescript/no-explicit-any
  async (path: string, data?: unknown): Promise<any> => {
    const { status, body } = await request(method, `/v2${path}`, data === undefined ? undefined : { data })
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
    return body.data
  }
