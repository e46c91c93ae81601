import { Injectable, type PipeTransform } from '@nestjs/common';
import { isId, NotFoundError } from '@app/kernel';

/** A path id that cannot be one of ours is simply not found. */
@Injectable()
export class IdParamPipe implements PipeTransform<string, string> {
  /** @throws NotFoundError */
  transform(value: string): string {
    if (!isId(value)) throw new NotFoundError('resource');
    return value.toLowerCase();
  }
}
