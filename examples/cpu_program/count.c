/* An ordinary program: adds numbers up to its argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const unsigned long last = count > 1 ? strtoul(words[1], NULL, 10) : 1000000;
  volatile unsigned long sum = 0;
  unsigned long i;
  for (i = 1; i <= last; ++i) sum += i;
  printf("%lu\n", sum);
  return 0;
}
