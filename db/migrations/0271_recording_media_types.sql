-- Call recordings of audio alone: the media type of each video or audio.
alter table relata.call_recordings add column media_type text;
update relata.call_recordings set media_type = 'video/mp4' where blob_digest is not null or status <> 'completed';
