/** Responses of the pages below /docs: compressed, and loading nothing from other hosts. */

import { newRequestId, type Answers } from '#api/http/response/answer'
import { chooseEncoding, compress } from '#api/http/response/compression'

/** No inline script and no other host. The data URLs are the icons in Swagger UI's style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Makes a response of a text. `type` is its content type, such as `text/html`. */
export type SendDocument = (request: Request, type: string, text: string) => Promise<Response>

export const createDocumentSender =
  (answers: Answers): SendDocument =>
  async (request, type, text) => {
    const headers = {
      ...answers.headers(newRequestId()),
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-cache',
    }
    const encoding = chooseEncoding(request.headers.get('accept-encoding'))
    const compressed = encoding && (await compress(text, encoding))
    if (compressed === undefined) return new Response(text, { headers })
    return new Response(compressed.bytes, { headers: { ...headers, 'Content-Encoding': compressed.encoding } })
  }
