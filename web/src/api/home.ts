/** The first steps in a workspace, and its sample data. */

import type { GettingStartedAnswer } from '#api/console/getting-started/schemas'
import type { SampleDataAnswer, SampleDataRemovalAnswer } from '#api/console/sample-data/schemas'
import { workspaceApi } from './client'

export type FirstSteps = GettingStartedAnswer['data']
export type SampleData = NonNullable<SampleDataAnswer['data']>

export const readFirstSteps = async (signal?: AbortSignal): Promise<FirstSteps> =>
  (await workspaceApi.get<GettingStartedAnswer>('/getting-started', { signal })).data

const SAMPLES = '/sample-data'

/** Null without sample data. */
export const readSampleData = async (signal?: AbortSignal): Promise<SampleDataAnswer['data']> =>
  (await workspaceApi.get<SampleDataAnswer>(SAMPLES, { signal })).data

export const fillWithSamples = (): Promise<unknown> => workspaceApi.post(SAMPLES)

export const removeSamples = async (keeps_changed: boolean): Promise<SampleDataRemovalAnswer['data']> =>
  (await workspaceApi.delete<SampleDataRemovalAnswer>(SAMPLES, { body: { keeps_changed } })).data
