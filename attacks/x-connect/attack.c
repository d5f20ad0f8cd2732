/* Connects to a port of the host's loopback. A connection would mean that the guest reaches the host's services. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_port = htons((unsigned short)atoi(argc > 1 ? argv[1] : "0"));
    if (fd < 0) {
        printf("socket: %s\n", strerror(errno));
        return 0;
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        printf("connect: %s\n", strerror(errno));
        return 0;
    }
    printf("connected\n");
    return 10;
}
