-- Recordings of meetings, their transcripts, and the videos that are still to be fetched.

create table relata.call_recordings (
  workspace_id uuid not null,
  id uuid not null,
  meeting_id uuid not null,
  status text not null check (status in ('processing', 'completed', 'failed')),
  -- The stored video. Null before it is stored, and for a recording without a video.
  blob_digest bytea,
  created_at timestamptz not null,
  -- The number of the actor.
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, meeting_id) references relata.meetings on delete cascade,
  foreign key (workspace_id, blob_digest) references relata.blobs
);

create index call_recordings_of_meeting on relata.call_recordings (workspace_id, meeting_id, created_at, id);
create index call_recordings_created on relata.call_recordings (workspace_id, created_at, id);
-- The deletion of a blob checks that no recording refers to it.
create index call_recordings_of_blob on relata.call_recordings (workspace_id, blob_digest) where blob_digest is not null;

create trigger count_inserted_references after insert on relata.call_recordings
  referencing new table as inserted for each statement execute function relata.count_blob_references();
create trigger count_updated_references after update on relata.call_recordings
  referencing new table as inserted old table as deleted for each statement execute function relata.count_blob_references();
create trigger count_deleted_references after delete on relata.call_recordings
  referencing old table as deleted for each statement execute function relata.count_blob_references();

create table relata.call_recording_transcripts (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  raw_transcript text not null,
  -- The distinct words, and the id of the workspace after a colon, so that a search finds transcripts of one workspace only.
  lexemes tsvector not null,
  primary key (workspace_id, call_recording_id),
  foreign key (workspace_id, call_recording_id) references relata.call_recordings on delete cascade
);

create index call_recording_transcripts_lexemes on relata.call_recording_transcripts using gin (lexemes);

-- A thousand segments are a page, so that a page is read without the others.
create table relata.call_recording_transcript_pages (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  page int not null,
  -- An array of segments, in the form of the API.
  segments json not null,
  primary key (workspace_id, call_recording_id, page),
  foreign key (workspace_id, call_recording_id) references relata.call_recording_transcripts on delete cascade
);

-- The videos that a worker fetches. The row goes when the video is stored, when the worker gives up, and with the recording.
create table relata.call_recording_fetches (
  workspace_id uuid not null,
  call_recording_id uuid not null,
  url text not null,
  -- The size in bytes that the host announced.
  size bigint not null,
  -- The number of attempts that began.
  attempts int not null default 0,
  -- While a process fetches the video, the end of its lease.
  due_at timestamptz not null,
  leased_by uuid,
  -- The process that has the lease, or that made the last attempt.
  worker text,
  primary key (workspace_id, call_recording_id),
  foreign key (workspace_id, call_recording_id) references relata.call_recordings on delete cascade
);

create index call_recording_fetches_due on relata.call_recording_fetches (due_at);
