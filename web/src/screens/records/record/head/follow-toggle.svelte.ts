/** Whether the signed-in member follows a record, and the change of that. */

import { followRecord, isFollowed, unfollowRecord } from '../../../../api/records/followed-records'
import { RemoteData } from '../../../../state/reads/remote-data.svelte'
import { toasts } from '../../../../state/toasts.svelte'

export class FollowToggle {
  readonly #object: string
  readonly #id: string
  readonly #loaded: RemoteData<boolean>

  constructor(object: string, id: string) {
    this.#object = object
    this.#id = id
    this.#loaded = new RemoteData((signal) => isFollowed(id, signal))
  }

  /** Undefined while it is loading, and when it could not be read. */
  get isFollowing(): boolean | undefined {
    return this.#loaded.data
  }

  async change(): Promise<void> {
    const isFollowing = this.isFollowing
    if (isFollowing === undefined) return
    const write = () => (isFollowing ? unfollowRecord : followRecord)(this.#object, this.#id)
    const error = await this.#loaded.updateOptimistically(() => !isFollowing, write)
    if (error) toasts.fail(error)
    else toasts.show(isFollowing ? 'You no longer follow this record' : 'Home shows what others change on this record')
  }
}
