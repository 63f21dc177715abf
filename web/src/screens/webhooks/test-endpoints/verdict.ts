/** What a test endpoint found of the signature of a request. */

import type { TestRequest } from '../../../api/test-endpoints'

interface Verdict {
  readonly label: string
  readonly tone: 'success' | 'danger' | 'plain'
  readonly words: string
}

const VERDICTS: Readonly<Record<TestRequest['signature'], Verdict>> = {
  valid: {
    label: 'Signed',
    tone: 'success',
    words: 'The signature is right: it was made of this body with the secret of the webhook.',
  },
  invalid: {
    label: 'Wrong',
    tone: 'danger',
    words: 'The signature is wrong: it was made with another secret, or of another body.',
  },
  absent: { label: 'Not signed', tone: 'plain', words: 'There is no signature: this did not come from a webhook.' },
}

export const verdictOn = (signature: TestRequest['signature']): Verdict => VERDICTS[signature]
