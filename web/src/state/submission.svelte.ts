/** The submission of a form: whether it is running, and its error. */

import { type ApiError, toApiError } from '../api/errors'

export class Submission {
  isBusy = $state(false)
  error = $state.raw<ApiError | undefined>()
  readonly #hasFields: boolean

  /** `hasFields` is false where no field of the form shows its error. */
  constructor({ hasFields = true }: { readonly hasFields?: boolean } = {}) {
    this.#hasFields = hasFields
  }

  /** An error that no field shows, for the place above the form. */
  get problem(): string | undefined {
    return this.#hasFields && this.error?.issues.length !== 0 ? undefined : this.error?.message
  }

  /** The error of one field. */
  issueOf(member: string): string | undefined {
    return this.error?.issueOf(member)
  }

  /** Returns whether the submission succeeded. */
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
