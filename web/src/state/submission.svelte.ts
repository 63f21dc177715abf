/** A form on its way to the service: whether it is being sent, and what was refused. */

import { type ApiError, toApiError } from '../api/errors'

export class Submission {
  isBusy = $state(false)
  error = $state.raw<ApiError | undefined>()

  /** What to say on top, as no field of the form is to blame. */
  readonly problem: string | undefined = $derived(this.error?.issues.length === 0 ? this.error.message : undefined)

  /** What is wrong with one field. */
  issueOf(member: string): string | undefined {
    return this.error?.issueOf(member)
  }

  /** Gives whether it worked. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    this.isBusy = true
    try {
      await act()
      this.error = undefined
      return true
    } catch (error) {
      this.error = toApiError(error)
      return false
    } finally {
      this.isBusy = false
    }
  }
}
