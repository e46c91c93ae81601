import { Module } from '@nestjs/common';
import { EventStreams } from './event-stream';

/** The open event streams of this process, bounded together. */
@Module({ providers: [EventStreams], exports: [EventStreams] })
export class EventStreamsModule {}
