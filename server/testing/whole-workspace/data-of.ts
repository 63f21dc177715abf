import type { AnswerBody } from '#testing/client'
import type { TestService } from '#testing/service'

/** Sends requests to `/v2` and returns their data. Throws for a refused one. */
export const dataOf =
  ({ request }: Pick<TestService, 'request'>, method: string) =>
  async (path: string, data?: unknown): Promise<AnswerBody> => {
    const { status, body } = await request(method, `/v2${path}`, data === undefined ? undefined : { data })
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
    return body.data
  }
